// What page and worker say to each other. The worker decodes; the page draws.
import type { Level } from "../data/pyramid";
import type { Series } from "../data/series";
import type { Spans } from "../data/spans";
import type { Details, Track } from "../data/types";

// Content of a section: base64 text from the page, or bytes fetched in `view`.
export type Content = string | Uint8Array;

export type Request =
  | { id: number; kind: "timeline"; strings: Content; tracks: Content; spans: Content | null; series: Content | null; details: Content | null }
  | { id: number; kind: "spans"; content: Uint8Array }
  | { id: number; kind: "allocations"; content: Content }
  | { id: number; kind: "json"; content: Content };

export interface TimelineData {
  strings: string[];
  tracks: Track[];
  spans: Spans;
  levels: Level[];
  series: Series[];
  details: Details;
}

export type Reply =
  | { id: number; ok: true; value: TimelineData | { spans: Spans; levels: Level[] } | unknown }
  | { id: number; ok: false; error: string };
