// The worker: inflates sections, decodes columns, builds the pyramid. Large arrays are handed over, not copied.
import { decodeAllocations } from "../data/allocations";
import { decodeBase64, inflate } from "../data/bytes";
import { buildPyramid, type Level } from "../data/pyramid";
import { decodeSeries } from "../data/series";
import { decodeSpans, type Spans } from "../data/spans";
import type { Details, Track } from "../data/types";
import type { Content, Reply, Request, TimelineData } from "./messages";

const scope = self as unknown as DedicatedWorkerGlobalScope;

async function bytesOf(content: Content): Promise<Uint8Array> {
  return inflate(typeof content === "string" ? decodeBase64(content) : content);
}

async function jsonOf(content: Content): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await bytesOf(content))) as unknown;
}

function emptySpans(): Spans {
  return {
    count: 0,
    start: new Float64Array(0),
    dur: new Float64Array(0),
    name: new Uint32Array(0),
    kind: new Uint8Array(0),
    link: new Int32Array(0),
    detail: new Uint32Array(0),
    merged: null,
    id: null,
    rowStart: new Uint32Array(1),
    before: new Float64Array(1),
  };
}

// Readings have names of machines: "power_draw".
const spoken = ({ kind, name }: Track): string => ((kind === "readings" || kind === "counter") && /^[a-z0-9_]+$/.test(name) ? name.replace(/_/g, " ") : name);

async function timeline(request: Extract<Request, { kind: "timeline" }>): Promise<TimelineData> {
  const spans = request.spans ? decodeSpans(await bytesOf(request.spans)) : emptySpans();
  const levels = buildPyramid(spans);
  const strings = (await jsonOf(request.strings)) as string[];
  // Ids are numbers in the document and texts in addresses: the page knows texts only.
  const tracks = ((await jsonOf(request.tracks)) as Track[]).map((track) => ({ ...track, id: String(track.id), name: spoken(track) }));
  const series = request.series ? decodeSeries(await bytesOf(request.series)) : [];
  const details = (request.details ? await jsonOf(request.details) : {}) as Partial<Details>;
  return {
    strings,
    tracks,
    spans,
    levels,
    series,
    details: { launch: details.launch ?? [], copy: details.copy ?? [], op: details.op ?? [], annotation: details.annotation ?? [], gap: details.gap ?? [] },
  };
}

function buffersOf(spans: Spans, levels: Level[]): Transferable[] {
  const buffers = new Set<ArrayBufferLike>();
  for (const array of [spans.start, spans.dur, spans.name, spans.kind, spans.link, spans.detail, spans.rowStart, spans.before]) buffers.add(array.buffer);
  for (const level of levels) for (const array of [level.first, level.longest, level.rowStart]) buffers.add(array.buffer);
  return [...buffers].filter((buffer): buffer is ArrayBuffer => buffer instanceof ArrayBuffer && buffer.byteLength > 0);
}

async function answer(request: Request): Promise<{ value: unknown; transfer: Transferable[] }> {
  if (request.kind === "json") return { value: await jsonOf(request.content), transfer: [] };
  if (request.kind === "allocations") return { value: decodeAllocations(await bytesOf(request.content)), transfer: [] };
  if (request.kind === "spans") {
    const spans = decodeSpans(request.content); // sent as they are: no time is lost with packing for a local reader
    const levels = buildPyramid(spans);
    return { value: { spans, levels }, transfer: buffersOf(spans, levels) };
  }
  const data = await timeline(request);
  return { value: data, transfer: buffersOf(data.spans, data.levels) };
}

scope.onmessage = (event: MessageEvent<Request>): void => {
  const request = event.data;
  answer(request).then(
    ({ value, transfer }) => scope.postMessage({ id: request.id, ok: true, value } satisfies Reply, transfer),
    (error: unknown) => scope.postMessage({ id: request.id, ok: false, error: error instanceof Error ? error.message : String(error) } satisfies Reply),
  );
};
