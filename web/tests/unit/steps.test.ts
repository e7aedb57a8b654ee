import { describe, expect, it } from "vitest";
import { stepBars } from "../../src/data/steps";

const steps = [
  { label: "step 1", begin_ns: 10, end_ns: 15, gpu_end_ns: 450 },
  { label: "step 2", begin_ns: 15, end_ns: 40, gpu_end_ns: 460 },
];
const names = ["step", "start_ns", "dur_ns", "busy_ns", "device_begin_ns", "device_end_ns"];
const table = { schema: "", title: "", summary: [], columns: names.map((name) => ({ name, unit: "" })), rows: [[0, 10, 440, 220, 10, 450], [1, 15, 10, 10, 450, 460]], row_count: 2, notes: [] };

describe("the steps' chart", () => {
  it("shows the time that the table shows", () => {
    expect(stepBars(steps, table).map((bar) => [bar.from, bar.to, bar.share])).toEqual([[10, 450, 0.5], [450, 460, 1]]);
  });
  it("counts from device work to device work without the table too", () => {
    expect(stepBars(steps, null).map((bar) => bar.to - bar.from)).toEqual([440, 10]);
  });
});
