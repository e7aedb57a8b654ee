// What the reader looks at, kept in the URL's hash, so that a link or a reload shows the same: page, range, selection.

export interface State {
  page: string;
  t0: number | null;
  t1: number | null;
  span: number | null;
  mark: [number, number] | null;
  search: string;
  table: string;
  pins: string[];
  moment: number | null; // of the memory page, ns
  folds: string[]; // tracks whose folding differs from the default
}

export function emptyState(): State {
  return { page: "verdict", t0: null, t1: null, span: null, mark: null, search: "", table: "kernels", pins: [], moment: null, folds: [] };
}

export function parseHash(hash: string): State {
  const state = emptyState();
  const params = new URLSearchParams(hash.replace(/^#/, ""));
  const numberOf = (key: string): number | null => {
    const text = params.get(key);
    const value = Number(text);
    return text === null || text === "" || !Number.isFinite(value) ? null : value;
  };
  state.page = params.get("p") ?? state.page;
  state.t0 = numberOf("t0");
  state.t1 = numberOf("t1");
  state.span = numberOf("s");
  const m0 = numberOf("m0");
  const m1 = numberOf("m1");
  if (m0 !== null && m1 !== null && m1 > m0) state.mark = [m0, m1];
  state.moment = numberOf("at");
  state.search = params.get("q") ?? "";
  state.table = params.get("t") ?? state.table;
  state.pins = (params.get("pin") ?? "").split(",").filter(Boolean);
  state.folds = (params.get("fold") ?? "").split(",").filter(Boolean);
  return state;
}

export function formatHash(state: State): string {
  const params = new URLSearchParams();
  params.set("p", state.page);
  if (state.page === "timeline") {
    if (state.t0 !== null && state.t1 !== null) {
      params.set("t0", String(Math.round(state.t0)));
      params.set("t1", String(Math.round(state.t1)));
    }
    if (state.span !== null) params.set("s", String(state.span));
    if (state.mark) {
      params.set("m0", String(Math.round(state.mark[0])));
      params.set("m1", String(Math.round(state.mark[1])));
    }
    if (state.search) params.set("q", state.search);
    if (state.pins.length) params.set("pin", state.pins.join(","));
    if (state.folds.length) params.set("fold", state.folds.join(","));
  }
  if (state.page === "memory" && state.moment !== null) params.set("at", String(Math.round(state.moment)));
  if (state.page === "tables") params.set("t", state.table);
  return `#${params.toString()}`;
}

// Pages shown inside others may not touch the address: then it is not kept.
function write(change: () => void): void {
  try {
    change();
  } catch {
    // nothing else depends on it
  }
}

export class StateStore {
  value: State;
  private timer = 0;
  private listeners: (() => void)[] = [];

  constructor() {
    this.value = parseHash(location.hash);
    window.addEventListener("hashchange", () => {
      if (location.hash === formatHash(this.value)) return;
      this.value = parseHash(location.hash);
      for (const listener of this.listeners) listener();
    });
  }

  // `push`: a step that the back button undoes; else the entry is replaced, at most a few times a second.
  set(change: Partial<State>, push = false): void {
    this.value = { ...this.value, ...change };
    window.clearTimeout(this.timer);
    if (push) write(() => history.pushState(null, "", formatHash(this.value)));
    else this.timer = window.setTimeout(() => write(() => history.replaceState(null, "", formatHash(this.value))), 250);
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
}
