// The report's document as docs/formats/report.md describes it. Times are nanoseconds relative to head.time.origin_ns.

export interface Prediction {
  step_ms_before: number;
  step_ms_after: number;
  gain_pct: number;
  low_pct: number;
  high_pct: number;
}

export interface Finding {
  id: string;
  rank: number;
  layer: string;
  dimension: string;
  title: string;
  subject: string | null;
  share_pct: number | null;
  predicted: Prediction | null;
  kernel_speedup: number | null;
  confidence: string;
  evidence: { text: string; query: string }[];
  actions: { text: string; code: string }[];
  verify: string;
  caused_by: string | null;
  concept: string;
}

export interface LedgerEntry {
  name: string;
  severity: string;
  count: number;
  first_offset: number | null;
  message: string;
  file: string | null;
}

export interface TimePart {
  name: string;
  label: string;
  ms: number;
  pct: number;
}

export interface SourceSummary {
  format: string;
  producer: string;
  version: string;
  path: string;
}

export interface Verdict {
  schema: string;
  answer: string;
  source: SourceSummary;
  sources?: SourceSummary[];
  devices: { id: number; name: string; busy_pct: number | null; idle_ms_per_step: number | null }[];
  steps: {
    count: number;
    median_ms: number | null;
    p90_ms: number | null;
    warmup_excluded: number;
    before_ms: number | null;
    after_ms: number | null;
    source: string;
    base_step_ms: number | null;
  };
  device: { busy_pct: number | null; idle_ms_per_step: number | null };
  breakdown: TimePart[];
  findings: Finding[];
  together: Prediction | null;
  abstained: { id: string; reason: string; record_instead: string }[];
  ledger: LedgerEntry[];
  notes: string[];
}

export interface Place {
  finding: number;
  begin_ns: number;
  end_ns: number;
  track: string | null;
}

export interface Step {
  label: string;
  begin_ns: number;
  end_ns: number;
  gpu_end_ns?: number | null;
  warmup?: boolean;
  outlier?: boolean;
}

export interface Head {
  schema: string;
  product: { name: string; version: string };
  title: string;
  lang: string;
  mode: "file" | "view";
  verdict: Verdict | null;
  verdict_error?: string;
  time: { origin_ns: string; begin_ns: number; end_ns: number };
  counts: Record<string, number>;
  limits: Record<string, unknown>;
  sections: string[];
  findings_at: Place[];
  steps: Step[];
}

export interface Track {
  id: string;
  kind: string;
  group: string;
  name: string;
  spans: number;
  depths: number;
  unit?: string;
  pid?: number;
  tid?: number;
  rank?: number;
  device?: number;
  stream?: number;
  min?: number;
  max?: number;
}

export type Detail = Record<string, unknown>;

export interface Details {
  launch: Detail[];
  copy: Detail[];
  op: Detail[];
  annotation: Detail[];
  gap: Detail[];
}

export type Cell = string | number | boolean | null;

export interface Table {
  schema: string;
  title: string;
  summary: string[];
  columns: { name: string; unit: string }[];
  rows: Cell[][];
  row_count: number;
  notes: string[];
}

export interface FlameNode {
  name: number | string;
  value_ns: number;
  self_ns: number;
  count: number;
  children?: FlameNode[];
}

export interface FlameTrees {
  trees: { id: string; title?: string; root: FlameNode }[];
}

// Kinds of spans: host kinds as they are, device kinds from 16, gap causes from 32.
export const Kind = {
  annotation: 0,
  python: 1,
  operator: 2,
  runtimeCall: 3,
  driverCall: 4,
  osCall: 5,
  overhead: 6,
  kernel: 16,
  copy: 17,
  memset: 18,
  graphLaunch: 19,
  streamAnnotation: 24,
  gap: 32,
} as const;

export const isDevice = (kind: number): boolean => kind >= 16 && kind < 24;
export const isCall = (kind: number): boolean => kind === 3 || kind === 4;
export const isGap = (kind: number): boolean => kind >= 32 && kind < 64;
