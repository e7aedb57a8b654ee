// What the bottom panel says about the marked range: busy time of each device, idle time by cause, kernels by name.
import { sumByName, unionBusy, type NameSum } from "../data/sums";
import { isDevice, Kind } from "../data/types";
import type { Model } from "./model";

export interface DeviceSums {
  group: string;
  busyNs: number;
  idleByCause: NameSum[];
}

export interface RangeSums {
  from: number;
  to: number;
  devices: DeviceSums[];
  kernels: NameSum[];
  copies: NameSum[];
  copyBytes: number;
  calls: NameSum[];
  operators: NameSum[];
}

export function sumRange(model: Model, from: number, to: number): RangeSums {
  const { tracks, spans } = model;
  const byGroup = new Map<string, { streams: number[]; gaps: number[] }>();
  const streamRows: number[] = [];
  const hostRows: number[] = [];
  tracks.forEach((track, i) => {
    const rows = model.rowsOf(i);
    if (track.kind === "host") hostRows.push(...rows);
    if (track.kind !== "stream" && track.kind !== "nccl" && track.kind !== "gaps") return;
    const entry = byGroup.get(track.group) ?? { streams: [], gaps: [] };
    byGroup.set(track.group, entry);
    if (track.kind === "gaps") entry.gaps.push(...rows);
    else {
      entry.streams.push(...rows);
      streamRows.push(...rows);
    }
  });
  const devices: DeviceSums[] = [];
  for (const [group, { streams, gaps }] of byGroup) devices.push({ group, busyNs: unionBusy(spans, streams, from, to), idleByCause: sumByName(spans, gaps, from, to) });
  let copyBytes = 0;
  const isCopy = (i: number): boolean => spans.kind[i] === Kind.copy || spans.kind[i] === Kind.memset;
  const copies = sumByName(spans, streamRows, from, to, (i) => {
    if (!isCopy(i)) return false;
    const size = model.detail(i)?.["bytes"];
    if (typeof size === "number") copyBytes += size;
    return true;
  });
  return {
    from,
    to,
    devices,
    kernels: sumByName(spans, streamRows, from, to, (i) => isDevice(spans.kind[i]) && !isCopy(i)),
    copies,
    copyBytes,
    calls: sumByName(spans, hostRows, from, to, (i) => spans.kind[i] === Kind.runtimeCall || spans.kind[i] === Kind.driverCall),
    operators: sumByName(spans, hostRows, from, to, (i) => spans.kind[i] === Kind.operator),
  };
}
