// The encoder of the fixtures, with types.
import { encodeAllocations as allocations, encodeSeries as series, encodeSpans as spans } from "../fixtures/encode.mjs";

export interface FixtureSpan {
  start: number;
  dur: number;
  name: number;
  kind: number;
  link?: number;
  detail?: number;
}

export const encodeSpans = spans as (rows: FixtureSpan[][]) => Uint8Array;
export const encodeSeries = series as (list: { time: number[]; value: number[] }[]) => Uint8Array;

export interface FixtureAllocations {
  frames: { name: number; parent: number }[];
  rows: { track: number; begin: number; end: number | null; bytes: number; stack: number; before: boolean }[];
}
export const encodeAllocations = allocations as (all: FixtureAllocations) => Uint8Array;
