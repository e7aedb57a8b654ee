// `view` only: asks the server for the spans around the range on the screen, a request a track, and puts the answers
// together as one store, so that everything else works as in a file. Spans shorter than a pixel come merged.
import type { Source } from "../data/source";
import type { Spans } from "../data/spans";
import { type Model, SERIES_KINDS } from "./model";
import type { Scale } from "./scale";

interface Range {
  from: number;
  to: number;
  nsPerPixel: number;
}

const AT_ONCE = 6; // requests under way
const CALM_MS = 70; // a move is answered when it has paused this long

export class Pager {
  private loaded: Range | null = null;
  private timer = 0;
  private turn = 0; // answers to an older question are dropped
  private chosenId: number | null = null;
  chosen = -1; // index of the chosen span in the present store, or -1
  private joined = false; // some loaded span stands for several

  constructor(
    private readonly model: Model,
    private readonly scale: Scale,
    private readonly source: Source,
    private readonly replaced: () => void,
  ) {}

  choose(index: number | null): void {
    this.chosenId = index === null ? null : (this.model.spans.id?.[index] ?? null);
    this.chosen = index ?? -1;
  }

  // Whether [from, to] is not loaded, or only with short spans joined: sums over it are not the whole.
  lacks(from: number, to: number): boolean {
    return this.joined || !this.loaded || from < this.loaded.from || to > this.loaded.to;
  }

  // The range on the screen may have changed.
  look(): void {
    const { t0, t1, nsPerPx } = this.scale;
    const known = this.loaded;
    const inside = known && t0 >= known.from - 1 && t1 <= known.to + 1;
    // Loaded twice as fine as needed, so half a zoom step passes without a question.
    if (inside && known.nsPerPixel <= nsPerPx * 1.01) return;
    window.clearTimeout(this.timer);
    // First the whole run, coarsely: the overview is made of it.
    this.timer = known ? window.setTimeout(() => void this.load(t0, t1), CALM_MS) : window.setTimeout(() => void this.load(this.model.begin, this.model.end), 0);
  }

  private async load(t0: number, t1: number): Promise<void> {
    const turn = ++this.turn;
    const { width } = this.scale;
    const margin = (t1 - t0) / 2;
    const from = Math.max(this.model.begin, t0 - margin);
    const to = Math.min(this.model.end, t1 + margin);
    const pixels = Math.max(200, Math.min(8000, Math.ceil((2 * width * (to - from)) / (t1 - t0))));
    const tracks = this.model.tracks;
    const chunks: (Spans | null)[] = tracks.map(() => null);
    const wanted = tracks.map((_, i) => i).filter((i) => !SERIES_KINDS.has(tracks[i].kind) && tracks[i].depths > 0);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < wanted.length && turn === this.turn) {
        const i = wanted[next++];
        try {
          chunks[i] = (await this.source.range(tracks[i].id, from, to, pixels)).spans;
        } catch {
          chunks[i] = null; // the track stays empty; the next move asks again
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    if (turn !== this.turn) return;
    const spans = join(chunks, tracks.map((track) => Math.max(0, track.depths)));
    this.chosen = this.chosenId !== null && spans.id ? spans.id.indexOf(this.chosenId) : -1;
    this.joined = spans.merged?.some((one) => one > 1) ?? false;
    this.model.replaceSpans(spans, []);
    this.loaded = { from: from <= this.model.begin ? -Infinity : from, to: to >= this.model.end ? Infinity : to, nsPerPixel: (to - from) / pixels };
    this.replaced();
    this.look(); // the reader may have moved on meanwhile
  }
}

// One store of all tracks' chunks; a track without a chunk has empty rows. Links are whole-recording ids and become
// indices where their end is loaded.
export function join(chunks: readonly (Spans | null)[], depths: readonly number[]): Spans {
  const rows = depths.reduce((sum, one) => sum + one, 0);
  const count = chunks.reduce((sum, chunk) => sum + (chunk?.count ?? 0), 0);
  const all: Spans = {
    count,
    start: new Float64Array(count),
    dur: new Float64Array(count),
    name: new Uint32Array(count),
    kind: new Uint8Array(count),
    link: new Int32Array(count),
    detail: new Uint32Array(count),
    merged: new Uint32Array(count).fill(1),
    id: new Float64Array(count).fill(-1),
    rowStart: new Uint32Array(rows + 1),
    before: new Float64Array(count + 1),
  };
  let at = 0;
  let row = 0;
  chunks.forEach((chunk, i) => {
    const own = Math.min(depths[i], chunk ? chunk.rowStart.length - 1 : 0);
    for (let depth = 0; depth < depths[i]; ++depth, ++row) all.rowStart[row + 1] = chunk && depth < own ? at + chunk.rowStart[depth + 1] : at + (chunk && own ? chunk.rowStart[own] : 0);
    if (!chunk) return;
    // A depth more than the track says is not shown.
    const size = own ? chunk.rowStart[own] : 0;
    all.start.set(chunk.start.subarray(0, size), at);
    all.dur.set(chunk.dur.subarray(0, size), at);
    all.name.set(chunk.name.subarray(0, size), at);
    all.kind.set(chunk.kind.subarray(0, size), at);
    all.link.set(chunk.link.subarray(0, size), at);
    all.detail.set(chunk.detail.subarray(0, size), at);
    if (chunk.merged) all.merged?.set(chunk.merged.subarray(0, size), at);
    if (chunk.id) all.id?.set(chunk.id.subarray(0, size), at);
    at += size;
  });
  all.count = at;
  for (let i = 0; i < at; ++i) all.before[i + 1] = all.before[i] + all.dur[i];
  const places = new Map<number, number>();
  for (let i = 0; i < at; ++i) if (all.id && all.id[i] >= 0) places.set(all.id[i], i);
  for (let i = 0; i < at; ++i) all.link[i] = all.link[i] >= 0 ? (places.get(all.link[i]) ?? -1) : -1;
  return all;
}
