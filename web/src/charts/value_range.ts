// Ranges of a chart's axes.

// Never empty: a chart of one value, or of none, still has an axis.
export function valueRange(low: number | null, high: number | null, unit: string, zeroBased: boolean): [number, number] {
  if (unit === "%") return [0, 100];
  const bottom = low !== null && Number.isFinite(low) ? low : 0;
  const top = high !== null && Number.isFinite(high) ? Math.max(high, bottom) : bottom;
  const room = (top - bottom) * 0.1 || Math.abs(top) * 0.1 || 1;
  return zeroBased ? [Math.min(0, bottom), Math.max(top * 1.05, top + room * 0.5)] : [bottom - room, top + room];
}

// Whether a chart over time says more than a number.
export function varies(series: { time: Float64Array; min: number; max: number }): boolean {
  return series.time.length > 1 && series.time[series.time.length - 1] > series.time[0] && series.max > series.min;
}
