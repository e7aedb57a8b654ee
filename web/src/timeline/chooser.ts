// Choosing spans: the longest in sight, the neighbour, the one around or inside; the one that a place is about.
import { rowOf } from "../data/spans";
import { touching } from "../data/sums";
import type { Model } from "./model";
import type { Scale } from "./scale";

// The longest device span in sight, else the longest of all; -1 if nothing is in sight.
export function longestVisible(model: Model, scale: Scale): number {
  const { spans, tracks } = model;
  let best = -1;
  for (const stream of [true, false]) {
    for (let track = 0; track < tracks.length; ++track) {
      if (stream !== (tracks[track].kind === "stream" || tracks[track].kind === "nccl")) continue;
      for (const row of model.rowsOf(track)) {
        const [from, to] = touching(spans, row, scale.t0, scale.t1);
        for (let i = from; i < to; ++i) if (best < 0 || spans.dur[i] > spans.dur[best]) best = i;
      }
    }
    if (best >= 0) break;
  }
  return best;
}

// The next or previous span of the row; -1 at its end.
export function neighbourOf(model: Model, selected: number, direction: number): number {
  const row = rowOf(model.spans, selected);
  const next = selected + direction;
  return next >= model.spans.rowStart[row] && next < model.spans.rowStart[row + 1] ? next : -1;
}

// Up: the span around this one, or the call that launched it. Down: the first span inside, or the work launched.
export function relativeOf(model: Model, selected: number, up: boolean): number {
  if (up) {
    const outer = model.enclosing(selected);
    return outer.length ? outer[outer.length - 1] : model.spans.link[selected];
  }
  const inner = model.firstInside(selected);
  return inner >= 0 ? inner : (model.workOf(selected, 1)[0] ?? -1);
}

// The span of a track that fills most of a place, the outermost of equal ones; -1 if none is more in it than out of it.
export function spanOfPlace(model: Model, track: number, from: number, to: number): number {
  const { spans } = model;
  let best = -1;
  let most = 0;
  for (const row of model.rowsOf(track)) {
    const [begin, end] = touching(spans, row, from, to);
    for (let i = begin; i < end; ++i) {
      const inside = Math.min(to, spans.start[i] + spans.dur[i]) - Math.max(from, spans.start[i]);
      const outside = spans.dur[i] - inside;
      if (inside - outside <= most) continue;
      most = inside - outside;
      best = i;
    }
  }
  return best;
}
