// Spans as typed arrays. A "row" is one depth of one track; its spans do not overlap and are sorted by start, so all
// spans of a row lie side by side in the arrays, from rowStart[row] to rowStart[row + 1].
import { checkRows, type Column, column, readContainer, readUnsigned, VarintReader } from "./columns";
import type { Track } from "./types";

export interface Spans {
  count: number;
  start: Float64Array; // ns
  dur: Float64Array; // ns
  name: Uint32Array; // string id
  kind: Uint8Array;
  link: Int32Array; // device spans and gaps: index of the host call behind them, or -1
  detail: Uint32Array; // 0: none, else index + 1 into the details of its kind
  merged: Uint32Array | null; // `view` only: how many spans this one stands for
  id: Float64Array | null; // `view` only: index in the whole recording, which `link` there means too
  rowStart: Uint32Array; // rows + 1
  before: Float64Array; // count + 1: sum of dur of all spans before this index, in ns
}

export function decodeSpans(data: Uint8Array): Spans {
  const columns = readContainer(data);
  const rows = readUnsigned(columns, "rows", Uint32Array);
  const rowStart = new Uint32Array(rows.length + 1);
  for (let i = 0; i < rows.length; ++i) rowStart[i + 1] = rowStart[i] + rows[i];
  const count = rowStart[rows.length];
  const dur = readUnsigned(columns, "dur", Float64Array);
  const name = readUnsigned(columns, "name", Uint32Array);
  const kind = readUnsigned(columns, "kind", Uint8Array);
  const detail = readUnsigned(columns, "detail", Uint32Array);
  if (dur.length !== count || name.length !== count || kind.length !== count || detail.length !== count)
    throw new Error(`columns of spans have different lengths (${count} by rows, ${dur.length} durations)`);
  const start = new Float64Array(count);
  const link = new Int32Array(count);
  const startColumn = column(columns, "start");
  const linkColumn = column(columns, "link");
  checkRows(startColumn, "start", 1);
  checkRows(linkColumn, "link", 1);
  if (startColumn.rows !== count || linkColumn.rows !== count) throw new Error("columns start and link must have a row for each span");
  const starts = new VarintReader(startColumn.bytes, "start");
  const links = new VarintReader(linkColumn.bytes, "link");
  const before = new Float64Array(count + 1);
  const paged = columns.has("id");
  for (let row = 0; row < rows.length; ++row) {
    let end = 0;
    let previous = 0;
    for (let i = rowStart[row]; i < rowStart[row + 1]; ++i) {
      start[i] = end + starts.signed();
      end = start[i] + dur[i];
      previous += links.signed();
      link[i] = previous >= 0 && (paged || previous < count) ? previous : -1;
      before[i + 1] = before[i] + dur[i];
    }
  }
  const merged = columns.has("merged") ? readUnsigned(columns, "merged", Uint32Array) : null;
  const id = paged ? readIds(columns, rowStart) : null;
  return { count, start, dur, name, kind, link, detail, merged, id, rowStart, before };
}

function readIds(columns: Map<string, Column>, rowStart: Uint32Array): Float64Array {
  const source = column(columns, "id");
  checkRows(source, "id", 1);
  const count = rowStart[rowStart.length - 1];
  if (source.rows !== count) throw new Error("column id must have a row for each span");
  const reader = new VarintReader(source.bytes, "id");
  const id = new Float64Array(count);
  for (let row = 0; row + 1 < rowStart.length; ++row) {
    let previous = 0;
    for (let i = rowStart[row]; i < rowStart[row + 1]; ++i) id[i] = previous += reader.signed();
  }
  return id;
}

// Index of the first row of each track; one more than tracks. Tracks beyond the rows get none.
export function firstRows(tracks: readonly Track[], rowCount: number): Uint32Array {
  const first = new Uint32Array(tracks.length + 1);
  for (let i = 0; i < tracks.length; ++i) first[i + 1] = Math.min(rowCount, first[i] + Math.max(0, tracks[i].depths));
  return first;
}

// First index in [low, high) whose span ends after `time`; high if none.
export function firstEndingAfter(spans: Spans, low: number, high: number, time: number): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spans.start[middle] + spans.dur[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

// The span of a row that holds `time`, or -1.
export function spanAt(spans: Spans, row: number, time: number): number {
  const i = firstEndingAfter(spans, spans.rowStart[row], spans.rowStart[row + 1], time);
  return i < spans.rowStart[row + 1] && spans.start[i] <= time ? i : -1;
}

// Row of a span index, by binary search.
export function rowOf(spans: Spans, index: number): number {
  let low = 0;
  let high = spans.rowStart.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (spans.rowStart[middle] <= index) low = middle;
    else high = middle;
  }
  // Empty rows share their start with the next one: the last of them holds the span.
  return low;
}
