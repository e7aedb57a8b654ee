// Where sections come from: script elements of this page (a file) or the server that `warpscope view` started.
// Each embedded section is taken out of the page when it is read, so that its text does not stay in memory.
import DecodeWorker from "../worker/worker?worker&inline";
import type { Allocations } from "./allocations";
import type { Level } from "./pyramid";
import type { Content, Reply, Request, TimelineData } from "../worker/messages";
import type { Spans } from "./spans";
import type { Head } from "./types";

// `Omit` alone would forget which request it is.
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

export class Source {
  private readonly worker = new DecodeWorker();
  private readonly waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  private readonly parsed = new Map<string, Promise<unknown>>();
  private lastId = 0;

  constructor(readonly head: Head) {
    this.worker.onmessage = (event: MessageEvent<Reply>) => {
      const reply = event.data;
      const pending = this.waiting.get(reply.id);
      this.waiting.delete(reply.id);
      if (reply.ok) pending?.resolve(reply.value);
      else pending?.reject(new Error(reply.error));
    };
    this.worker.onerror = (event) => {
      for (const pending of this.waiting.values()) pending.reject(new Error(`the worker failed: ${event.message}`));
      this.waiting.clear();
    };
  }

  has(name: string): boolean {
    return this.head.sections.includes(name) || document.getElementById(`ws:${name}`) !== null;
  }

  // Parsed JSON of a section; the same object for every call.
  json<T>(name: string): Promise<T> {
    return this.decoded(name, "json") as Promise<T>;
  }

  allocations(): Promise<Allocations> {
    return this.decoded("allocations", "allocations") as Promise<Allocations>;
  }

  private decoded(name: string, kind: "json" | "allocations"): Promise<unknown> {
    let promise = this.parsed.get(name);
    if (!promise) {
      promise = this.content(name).then((content) => {
        if (content === null) throw new Error(`section ${name} is not in this report`);
        return this.ask({ kind, content });
      });
      this.parsed.set(name, promise);
    }
    return promise;
  }

  async timeline(): Promise<TimelineData> {
    const [strings, tracks, spans, series, details] = await Promise.all(["strings", "tracks", "spans", "series", "details"].map((name) => this.content(name)));
    if (strings === null || tracks === null) throw new Error("the report holds no timeline");
    return (await this.ask({ kind: "timeline", strings, tracks, spans, series, details })) as TimelineData;
  }

  // `view` only: spans of a track in a range, merged below a pixel.
  async range(track: string, from: number, to: number, pixels: number): Promise<{ spans: Spans; levels: Level[] }> {
    const query = new URLSearchParams({ track, from: String(Math.floor(from)), to: String(Math.ceil(to)), px: String(pixels) });
    const content = await fetched(`spans?${query.toString()}`);
    if (!content) throw new Error(`no spans of track ${track}`);
    return (await this.ask({ kind: "spans", content })) as { spans: Spans; levels: Level[] };
  }

  private async content(name: string): Promise<Content | null> {
    const element = document.getElementById(`ws:${name}`);
    if (element) {
      const text = (element.textContent ?? "").trim();
      element.remove();
      return text;
    }
    if (this.head.mode !== "view" || !this.has(name)) return null;
    return fetched(`section/${encodeURIComponent(name)}`);
  }

  private ask(request: Without<Request, "id">): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ ...request, id });
    });
  }
}

async function fetched(path: string): Promise<Uint8Array | null> {
  const response = await fetch(path);
  if (!response.ok) return null;
  return new Uint8Array(await response.arrayBuffer());
}

// The head is plain JSON: it is there before anything is decoded.
export function readHead(): Head {
  const text = document.getElementById("ws:head")?.textContent;
  if (!text) throw new Error("this page is an empty template: `warpscope report RUN -o report.html` fills it");
  const head = JSON.parse(text) as Head;
  if (!head.schema?.startsWith("warpscope.report/1")) throw new Error(`this page reads warpscope.report/1, not ${String(head.schema)}`);
  for (const place of head.findings_at) if (place.track !== null) place.track = String(place.track);
  return head;
}
