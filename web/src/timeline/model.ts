// The timeline's data behind one face: tracks, their rows, and how spans hang together. In a file all spans lie in
// one store; in `view` each track has its own, for the range that is on the screen.
import type { Level } from "../data/pyramid";
import type { Series } from "../data/series";
import { firstRows, rowOf, spanAt, type Spans } from "../data/spans";
import { type Detail, type Head, isCall, isDevice, isGap, Kind, type Table, type Track } from "../data/types";
import type { TimelineData } from "../worker/messages";
import { causeName } from "../ui/causes";
import { clean } from "../ui/dom";
import { shortName } from "../ui/format";
import { categoryNumber, GAP_BASE, GAP_CAUSES, kernelCategory, SHADES } from "./colours";

export interface TrackStore {
  spans: Spans;
  levels: readonly Level[];
  firstRow: number;
  rows: number;
}

export const SERIES_KINDS = new Set(["memory", "counter", "readings"]);
const BLOCKING = /Synchronize|StreamWait|EventQuery|cudaMemcpy$|cudaFree$|sem_|futex|poll|sleep|wait/i;

export class Model {
  readonly tracks: readonly Track[];
  readonly strings: readonly string[];
  spans: Spans; // `view` replaces them by what is on the screen
  levels: readonly Level[];
  private first: Uint32Array;
  private readonly seriesOf = new Map<number, Series>();
  private readonly kindCategory = new Uint8Array(256);
  private readonly nameCategory: Uint8Array; // of kernels and calls; 255: by kind
  private readonly shade: Uint8Array; // of each string
  private trackOfRow: Int32Array;
  private workOrder: Uint32Array | null = null; // device spans by the call that issued them
  readonly begin: number;
  readonly end: number;

  constructor(
    readonly head: Head,
    readonly data: TimelineData,
  ) {
    this.tracks = data.tracks;
    this.strings = data.strings;
    this.spans = data.spans;
    this.levels = data.levels;
    this.first = firstRows(data.tracks, data.spans.rowStart.length - 1);
    this.trackOfRow = this.rowOwners();
    let next = 0;
    data.tracks.forEach((track, i) => {
      if (SERIES_KINDS.has(track.kind) && next < data.series.length) this.seriesOf.set(i, data.series[next++]);
    });
    this.begin = head.time.begin_ns;
    this.end = Math.max(head.time.end_ns, this.begin + 1);
    this.nameCategory = new Uint8Array(this.strings.length).fill(255);
    this.shade = new Uint8Array(this.strings.length);
    this.colourNames();
  }

  private rowOwners(): Int32Array {
    const owners = new Int32Array(this.spans.rowStart.length - 1).fill(-1);
    for (let i = 0; i < this.tracks.length; ++i) owners.fill(i, this.first[i], this.first[i + 1]);
    return owners;
  }

  // `view`: other spans are on the screen now. Indices of spans from before mean nothing any more.
  replaceSpans(spans: Spans, levels: readonly Level[]): void {
    this.spans = spans;
    this.levels = levels;
    this.first = firstRows(this.tracks, spans.rowStart.length - 1);
    this.trackOfRow = this.rowOwners();
    this.workOrder = null;
  }

  // Categories of kernels as the kernels' table tells them, when it has been read.
  learnKernels(table: Table): void {
    const name = table.columns.findIndex((column) => column.name === "name");
    const category = table.columns.findIndex((column) => column.name === "category");
    if (name < 0 || category < 0) return;
    const known = new Map(table.rows.map((row) => [row[name], row[category]]));
    this.strings.forEach((text, id) => {
      const word = known.get(text);
      if (typeof word === "string") this.nameCategory[id] = categoryNumber(kernelCategory(word));
    });
  }

  store(track: number): TrackStore {
    return { spans: this.spans, levels: this.levels, firstRow: this.first[track], rows: this.first[track + 1] - this.first[track] };
  }

  series(track: number): Series | null {
    return this.seriesOf.get(track) ?? null;
  }

  trackOf(span: number): number {
    return this.trackOfRow[rowOf(this.spans, span)] ?? -1;
  }

  trackOfRowAt(row: number): number {
    return this.trackOfRow[row] ?? -1;
  }

  rowsOf(track: number): number[] {
    const rows: number[] = [];
    for (let row = this.first[track]; row < this.first[track + 1]; ++row) rows.push(row);
    return rows;
  }

  // Index into the palette: category * SHADES + shade.
  colour(spans: Spans, index: number): number {
    const name = spans.name[index];
    const kind = spans.kind[index];
    const own = kind >= 32 && kind < 64 ? 255 : this.nameCategory[name];
    const category = own !== undefined && own !== 255 ? own : this.kindCategory[kind];
    return category * SHADES + (isGap(kind) ? 2 : (this.shade[name] ?? 2));
  }

  name(spans: Spans, index: number): string {
    return this.strings[spans.name[index]] ?? "";
  }

  // What a reader calls a span: a gap by its cause, a kernel without its namespaces.
  label(spans: Spans, index: number): string {
    const kind = spans.kind[index];
    if (isGap(kind)) return causeName(GAP_CAUSES[kind - 32]?.[0] ?? this.name(spans, index));
    return clean(shortName(this.name(spans, index)));
  }

  detail(index: number): Detail | null {
    const number = this.spans.detail[index];
    if (number === 0) return null;
    const { launch, copy, op, annotation, gap } = this.data.details;
    const kind = this.spans.kind[index];
    const list = kind === Kind.kernel || kind === Kind.graphLaunch ? launch : kind === Kind.copy || kind === Kind.memset ? copy : kind === Kind.operator ? op : kind === Kind.annotation || kind === Kind.streamAnnotation ? annotation : isGap(kind) ? gap : [];
    return list[number - 1] ?? null;
  }

  // Row of the gaps of the device that a stream belongs to; -1 if there is none.
  gapsBehind(track: number): number {
    const { kind, group } = this.tracks[track];
    if (kind !== "stream" && kind !== "nccl") return -1;
    // The nearest before it: groups of several runs may have one name.
    for (let i = track - 1; i >= 0 && this.tracks[i].group === group; --i) if (this.tracks[i].kind === "gaps" && this.first[i + 1] > this.first[i]) return this.first[i];
    return -1;
  }

  // Spans around this one on its track, outermost first.
  enclosing(index: number): number[] {
    const row = rowOf(this.spans, index);
    const track = this.trackOfRow[row];
    if (track < 0) return [];
    const result: number[] = [];
    const end = this.spans.start[index] + this.spans.dur[index];
    for (let above = this.first[track]; above < row; ++above) {
      const outer = spanAt(this.spans, above, this.spans.start[index]);
      if (outer >= 0 && this.spans.start[outer] + this.spans.dur[outer] >= end) result.push(outer);
    }
    return result;
  }

  // Device spans that a host span caused: of the call itself, or of all calls below it on its thread. At most `limit`.
  workOf(index: number, limit: number): number[] {
    const kind = this.spans.kind[index];
    if (isDevice(kind) || isGap(kind)) return [];
    if (isCall(kind)) return this.workOfCall(index, limit);
    const row = rowOf(this.spans, index);
    const track = this.trackOfRow[row];
    const from = this.spans.start[index];
    const to = from + this.spans.dur[index];
    const result: number[] = [];
    for (let below = row + 1; track >= 0 && below < this.first[track + 1] && result.length < limit; ++below) {
      let i = this.firstFrom(below, from);
      for (; i < this.spans.rowStart[below + 1] && this.spans.start[i] < to && result.length < limit; ++i)
        if (isCall(this.spans.kind[i])) result.push(...this.workOfCall(i, limit - result.length));
    }
    return result;
  }

  // The first span one level below inside this one; -1 if there is none.
  firstInside(index: number): number {
    const row = rowOf(this.spans, index);
    const track = this.trackOfRow[row];
    if (track < 0 || row + 1 >= this.first[track + 1]) return -1;
    const inner = this.firstFrom(row + 1, this.spans.start[index]);
    return inner < this.spans.rowStart[row + 2] && this.spans.start[inner] < this.spans.start[index] + this.spans.dur[index] ? inner : -1;
  }

  private firstFrom(row: number, time: number): number {
    let low = this.spans.rowStart[row];
    let high = this.spans.rowStart[row + 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.spans.start[middle] >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private workOfCall(call: number, limit: number): number[] {
    const { link, kind, count, start } = this.spans;
    if (!this.workOrder) {
      const indices: number[] = [];
      for (let i = 0; i < count; ++i) if (link[i] >= 0 && isDevice(kind[i])) indices.push(i);
      this.workOrder = Uint32Array.from(indices).sort((a, b) => link[a] - link[b] || start[a] - start[b]);
    }
    const order = this.workOrder;
    let low = 0;
    let high = order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (link[order[middle]] < call) low = middle + 1;
      else high = middle;
    }
    const result: number[] = [];
    for (; low < order.length && link[order[low]] === call && result.length < limit; ++low) result.push(order[low]);
    return result;
  }

  private colourNames(): void {
    const byKind: [number, Parameters<typeof categoryNumber>[0]][] = [
      [Kind.annotation, "annotation"], [Kind.python, "python"], [Kind.operator, "operator"], [Kind.runtimeCall, "call"], [Kind.driverCall, "call"], [Kind.osCall, "os"],
      [Kind.overhead, "overhead"], [Kind.kernel, "kernel"], [Kind.copy, "copy"], [Kind.memset, "memset"], [Kind.graphLaunch, "graph"], [Kind.streamAnnotation, "annotation"],
    ];
    for (const [kind, category] of byKind) this.kindCategory[kind] = categoryNumber(category);
    for (let i = 0; i < 32; ++i) this.kindCategory[32 + i] = GAP_BASE + Math.min(i, GAP_CAUSES.length - 1);
    const wait = categoryNumber("wait");
    const communication = categoryNumber("communication");
    for (let id = 0; id < this.strings.length; ++id) {
      const text = this.strings[id];
      let hash = 2166136261;
      for (let i = 0; i < Math.min(text.length, 200); ++i) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
      this.shade[id] = ((hash >>> 9) & 0xffff) % SHADES;
      if (/^(cuda|hip|cu)[A-Z]/.test(text) && BLOCKING.test(text)) this.nameCategory[id] = wait;
      else if (/^nccl[A-Z_]|ncclDevKernel|ncclKernel/.test(text)) this.nameCategory[id] = communication;
    }
  }
}
