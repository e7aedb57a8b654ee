// Where each track stands. All heights in CSS pixels. A folded track shows all its rows as a thin silhouette.
import { t } from "../ui/i18n";
import { type Model, SERIES_KINDS } from "./model";

export const GROUP_HEIGHT = 22;
export const ROW_HEIGHT = 17;
const FOLDED_ROWS = 24; // pixels that a folded track's rows share
const SERIES_HEIGHT = 42;
const CONSTANT_HEIGHT = 18; // a series of one value only states it
const GAP = 4;
export const MAX_ROWS = 100; // rows of a track that are shown; the heading says what is cut

export interface Item {
  kind: "group" | "track";
  y: number;
  h: number;
  group: string; // as it is shown and folded; of a track: its heading's
  track: number; // -1 for a group
  rowHeight: number;
  rows: number;
  folded: boolean;
  foldable: boolean;
}

export interface Folding {
  tracks: ReadonlySet<string>; // ids whose folding differs from the default
  groups: ReadonlySet<string>; // folded groups
}

// Of each process the threads with most spans start unfolded, if there are few processes; all others folded.
export function foldedByDefault(model: Model, track: number): boolean {
  const { kind, spans, group, depths } = model.tracks[track];
  if (kind !== "host" || depths < 2) return false;
  const hosts = model.tracks.filter((other) => other.kind === "host");
  const processes = new Set(hosts.map((other) => other.group)).size;
  const busiest = Math.max(...hosts.filter((other) => other.group === group).map((other) => other.spans));
  return processes > 2 || spans < busiest * 0.04;
}

export function isFolded(model: Model, track: number, folding: Folding): boolean {
  return foldedByDefault(model, track) !== folding.tracks.has(model.tracks[track].id);
}

function trackItem(model: Model, track: number, group: string, y: number, folding: Folding): Item {
  const { kind, depths } = model.tracks[track];
  if (SERIES_KINDS.has(kind)) {
    const series = model.series(track);
    const height = !series || series.min >= series.max ? CONSTANT_HEIGHT : SERIES_HEIGHT;
    return { kind: "track", y, h: height + GAP, group, track, rowHeight: height, rows: 0, folded: false, foldable: false };
  }
  const rows = Math.max(1, Math.min(depths, MAX_ROWS));
  const foldable = rows > 1;
  const folded = foldable && isFolded(model, track, folding);
  const rowHeight = folded ? Math.max(1, Math.min(8, FOLDED_ROWS / rows)) : ROW_HEIGHT;
  const shown = folded ? Math.min(rows, FOLDED_ROWS) : rows;
  return { kind: "track", y, h: Math.max(20, shown * rowHeight) + GAP, group, track, rowHeight, rows: shown, folded, foldable };
}

// Tracks in the order on the screen, each with the heading that it stands under: of each run of a process and its
// devices the device's work comes first, as that is what the reader asks about, then the threads, then series.
export function displayOrder(model: Model): { track: number; group: string }[] {
  const { tracks } = model;
  const result: { track: number; group: string }[] = [];
  let host: number[] = [];
  let device: number[] = [];
  let series: number[] = [];
  const flush = (): void => {
    for (const track of [...device, ...host]) result.push({ track, group: tracks[track].group });
    const own = device.length + host.length > 0;
    for (const track of series) result.push({ track, group: own ? `${tracks[track].group} · ${t("seriesGroup")}` : tracks[track].group });
    host = [];
    device = [];
    series = [];
  };
  for (let i = 0; i < tracks.length; ++i) {
    // A host track after device tracks begins the next process.
    if (tracks[i].kind === "host" && device.length + series.length > 0) flush();
    (tracks[i].kind === "host" ? host : SERIES_KINDS.has(tracks[i].kind) ? series : device).push(i);
  }
  flush();
  return result;
}

// Groups get a heading where they change.
export function layOut(model: Model, order: readonly { track: number; group: string }[], folding: Folding, withGroups: boolean): { items: Item[]; height: number } {
  const items: Item[] = [];
  let y = 0;
  let current: string | null = null;
  for (const { track, group } of order) {
    if (withGroups && group !== current) {
      items.push({ kind: "group", y, h: GROUP_HEIGHT, group, track: -1, rowHeight: 0, rows: 0, folded: folding.groups.has(group), foldable: true });
      y += GROUP_HEIGHT;
      current = group;
    }
    if (withGroups && folding.groups.has(group)) continue;
    const item = trackItem(model, track, group, y, folding);
    items.push(item);
    y += item.h;
  }
  return { items, height: y };
}
