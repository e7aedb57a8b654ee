// The encoder of the fixtures, with types.
import { encodeSeries as series, encodeSpans as spans } from "../fixtures/encode.mjs";

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
