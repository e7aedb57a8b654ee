import { describe, expect, it } from "vitest";
import { decodeSpans } from "../../src/data/spans";
import { join } from "../../src/timeline/pager";
import { encodeSpans as encode } from "../fixtures/encode.mjs";

const encodePaged = encode as (rows: unknown, paged: boolean) => Uint8Array;

describe("spans of several answers in one store", () => {
  const host = decodeSpans(encodePaged([[{ start: 0, dur: 10, name: 1, kind: 3, index: 900 }], [{ start: 2, dur: 3, name: 2, kind: 3, index: 901 }]], true));
  const stream = decodeSpans(encodePaged([[{ start: 5, dur: 4, name: 3, kind: 16, link: 901, index: 5000 }, { start: 20, dur: 4, name: 3, kind: 16, link: 77, index: 5001 }]], true));

  it("turns links of the whole recording into places, where their end is loaded", () => {
    const all = join([host, stream], [2, 1]);
    expect([...all.rowStart]).toEqual([0, 1, 2, 4]);
    expect([...all.link]).toEqual([-1, -1, 1, -1]);
    expect([...all.before]).toEqual([0, 10, 13, 17, 21]);
  });
  it("leaves rows of a track empty whose answer did not come", () => {
    const all = join([null, stream], [2, 1]);
    expect([...all.rowStart]).toEqual([0, 0, 0, 2]);
    expect(all.count).toBe(2);
  });
  it("shows no more depths than the track says, and fills missing ones", () => {
    expect([...join([host, stream], [1, 3]).rowStart]).toEqual([0, 1, 3, 3, 3]);
  });
});
