// Series (memory, counters, readings): step lines, with minimum and maximum of every 16 points, of every 256 and so
// on, so that a pixel column costs a few look-ups however many points it covers.
import { checkRows, column, readContainer, readFloats, readUnsigned, VarintReader } from "./columns";

export interface Series {
  time: Float64Array; // ns, ascending
  value: Float32Array; // NaN: nothing known until the next point
  mips: { low: Float32Array; high: Float32Array }[]; // of 16, 256, ... points
  min: number;
  max: number;
}

const FAN = 16;

export function decodeSeries(data: Uint8Array): Series[] {
  const columns = readContainer(data);
  const counts = readUnsigned(columns, "count", Uint32Array);
  const timeColumn = column(columns, "time");
  checkRows(timeColumn, "time", 1);
  const values = readFloats(columns, "value");
  const times = new VarintReader(timeColumn.bytes, "time");
  const result: Series[] = [];
  let at = 0;
  for (const count of counts) {
    if (at + count > values.length || at + count > timeColumn.rows) throw new Error("series have fewer points than they claim");
    const time = new Float64Array(count);
    let previous = 0;
    for (let i = 0; i < count; ++i) time[i] = previous += times.signed();
    result.push(makeSeries(time, values.slice(at, at + count)));
    at += count;
  }
  return result;
}

export function makeSeries(time: Float64Array, value: Float32Array): Series {
  const mips: Series["mips"] = [];
  let low = value;
  let high = value;
  while (low.length > FAN) {
    const length = Math.ceil(low.length / FAN);
    const nextLow = new Float32Array(length).fill(Infinity);
    const nextHigh = new Float32Array(length).fill(-Infinity);
    for (let i = 0; i < low.length; ++i) {
      const to = (i / FAN) | 0;
      if (low[i] < nextLow[to]) nextLow[to] = low[i];
      if (high[i] > nextHigh[to]) nextHigh[to] = high[i];
    }
    mips.push({ low: nextLow, high: nextHigh });
    low = nextLow;
    high = nextHigh;
  }
  const [min, max] = extremes({ value, mips }, 0, value.length);
  return { time, value, mips, min, max };
}

// Minimum and maximum of points [from, to); [Infinity, -Infinity] if there is none.
export function extremes(series: Pick<Series, "value" | "mips">, from: number, to: number): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  let lows: Float32Array = series.value;
  let highs: Float32Array = series.value;
  let level = 0;
  const take = (i: number): void => {
    if (lows[i] < low) low = lows[i];
    if (highs[i] > high) high = highs[i];
  };
  while (from < to) {
    while (from < to && from % FAN !== 0) take(from++);
    while (to > from && to % FAN !== 0) take(--to);
    if (from >= to) break;
    if (level >= series.mips.length) {
      for (; from < to; ++from) take(from);
      break;
    }
    lows = series.mips[level].low;
    highs = series.mips[level].high;
    ++level;
    from /= FAN;
    to /= FAN;
  }
  return [low, high];
}

// Index of the last point at or before `time`; -1 if there is none.
export function pointAt(series: Series, time: number): number {
  let low = 0;
  let high = series.time.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (series.time[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
