// How device work hangs together with the calls that issued it: an arrow to what a call issued, and of a call that
// issued several (a CUDA graph's launch) its nodes in the order of their starts. Which node waits for which is not in
// recordings.
import { isGap } from "../data/types";
import type { Model } from "./model";

export interface Flow {
  arrows: [number, number][]; // spans: from a call to the first work of it
  chains: number[][]; // device spans of one call, two or more, by start
}

export const NO_FLOW: Flow = { arrows: [], chains: [] };

// More is a grey wash.
const MOST = 20_000;
const ARROWS = 300;

export function flowOf(model: Model, index: number): Flow {
  const { link, kind } = model.spans;
  const call = link[index];
  if (isGap(kind[index])) return NO_FLOW;
  if (call >= 0) {
    const siblings = model.workOf(call, MOST);
    return siblings.length > 1 && siblings.includes(index) ? { arrows: [[call, siblings[0]]], chains: [siblings] } : { arrows: [[call, index]], chains: [] };
  }
  const flow: Flow = { arrows: [], chains: [] };
  let chain: number[] = [];
  let from = -1;
  const close = (): void => {
    if (chain.length) flow.arrows.push([from, chain[0]]);
    if (chain.length > 1) flow.chains.push(chain);
  };
  for (const work of model.workOf(index, MOST)) {
    const caller = link[work] >= 0 ? link[work] : index;
    if (caller !== from) {
      close();
      if (flow.arrows.length >= ARROWS) return flow;
      chain = [];
      from = caller;
    }
    chain.push(work);
  }
  close();
  return flow;
}

export interface ChainSums {
  nodes: number;
  streams: number;
  from: number;
  to: number; // end of the node that ends last
  busy: number; // time in which at least one node runs
}

export function sumChain(model: Model, chain: readonly number[]): ChainSums {
  const { start, dur } = model.spans;
  const streams = new Set<number>();
  let busy = 0;
  let to = start[chain[0]];
  for (const node of chain) {
    streams.add(model.trackOf(node));
    const end = start[node] + dur[node];
    if (end > to) {
      busy += end - Math.max(to, start[node]);
      to = end;
    }
  }
  return { nodes: chain.length, streams: streams.size, from: start[chain[0]], to, busy };
}
