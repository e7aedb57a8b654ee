// The time of a step as the steps' table counts it.
import type { Cell, Step, Table } from "./types";

// Range of the steps table's time: from the previous step's last device work to its own, where the table tells it.
export function stepWindow(table: Table, row: Cell[]): [number, number] | null {
  const at = (name: string): Cell => row[table.columns.findIndex((column) => column.name === name)] ?? null;
  const [begin, end, start, length] = [at("device_begin_ns"), at("device_end_ns"), at("start_ns"), at("dur_ns")];
  if (typeof begin === "number" && typeof end === "number" && end > begin) return [begin, end];
  return typeof start === "number" && typeof length === "number" && length > 0 ? [start, start + length] : null;
}

export interface StepBar {
  step: Step;
  from: number; // ns: what the steps' table counts as the step's time
  to: number;
  share: number | null; // in which the device worked, 0 to 1; null where the table does not know the step
}

// The same time as in the table: from the previous step's last device work to its own; the host's window without any.
export function stepBars(steps: readonly Step[], table: Table | null): StepBar[] {
  const at = (name: string): number => table?.columns.findIndex((column) => column.name === name) ?? -1;
  const [start, busy] = [at("start_ns"), at("busy_ns")];
  const byStart = new Map<Cell, Cell[]>((table?.rows ?? []).map((row) => [row[start] ?? null, row]));
  return steps.map((step, i) => {
    const row = byStart.get(step.begin_ns);
    const window = table && row ? stepWindow(table, row) : null;
    const deviceEnd = step.gpu_end_ns ?? null;
    const begin = i > 0 ? Math.max(step.begin_ns, steps[i - 1].gpu_end_ns ?? step.begin_ns) : step.begin_ns;
    const [from, to] = window ?? (deviceEnd !== null && deviceEnd > begin ? [begin, deviceEnd] : [step.begin_ns, step.end_ns]);
    const part = row?.[busy];
    return { step, from, to, share: typeof part === "number" && to > from ? Math.max(0, Math.min(1, part / (to - from))) : null };
  });
}
