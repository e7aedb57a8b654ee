// Numbers for people: three significant digits, the unit that fits. The same rules as the terminal's output.

// A page has one minus sign: the real one, as wide as a digit.
const minus = (text: string): string => text.replace(/^-/, "−");

function digits(value: number): string {
  const size = Math.abs(value);
  return minus(value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2));
}

export function duration(ns: number): string {
  const size = Math.abs(ns);
  if (!Number.isFinite(ns)) return "–";
  if (size < 1e3) return `${Number.isInteger(ns) ? minus(String(ns)) : digits(ns)} ns`;
  if (size < 999.5e3) return `${digits(ns / 1e3)} µs`;
  if (size < 999.5e6) return `${digits(ns / 1e6)} ms`;
  return `${digits(ns / 1e9)} s`;
}

export const milliseconds = (ms: number): string => duration(ms * 1e6);

export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let i = 0;
  while (Math.abs(value) >= 1023.5 && i + 1 < units.length) {
    value /= 1024;
    ++i;
  }
  return `${i === 0 ? minus(String(Math.round(value))) : digits(value)} ${units[i]}`;
}

export function scaled(value: number, unit: string): string {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let i = 0;
  while (Math.abs(value) >= 999.5 && i + 1 < prefixes.length) {
    value /= 1000;
    ++i;
  }
  return `${i === 0 && Number.isInteger(value) ? minus(String(value)) : digits(value)} ${prefixes[i]}${unit}`.trim();
}

export function percent(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 0.1) return "<0.1 %";
  return `${minus(value.toFixed(1))} %`;
}

// Signed, for changes: "−84 %", as a reader expects of a step that becomes shorter.
export function change(gainPct: number): string {
  const size = Math.abs(gainPct);
  const text = size >= 10 ? size.toFixed(0) : size.toFixed(1);
  return `${gainPct > 0 ? "−" : gainPct < 0 ? "+" : ""}${text} %`;
}

export const count = (value: number): string => minus(Math.round(value).toLocaleString("en-US"));

export function number(value: number): string {
  if (Number.isInteger(value)) return count(value);
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.01 || size >= 1e7)) return minus(value.toPrecision(3));
  return size >= 1000 ? minus(value.toLocaleString("en-US", { maximumFractionDigits: 0 })) : digits(value);
}

// By the unit that a table's column or a series names.
export function withUnit(value: number, unit: string): string {
  switch (unit) {
    case "ns":
      return duration(value);
    case "us":
      return duration(value * 1e3);
    case "ms":
      return duration(value * 1e6);
    case "bytes":
    case "B":
      return bytes(value);
    case "bytes/s":
    case "B/s":
    case "bytes_per_s":
      return scaled(value, "B/s");
    case "FLOP/s":
      return scaled(value, "FLOP/s");
    case "mhz":
    case "MHz":
      return `${number(value)} MHz`;
    case "watts":
    case "w":
    case "W":
      return `${number(value)} W`;
    case "celsius":
      return `${number(value)} °C`;
    case "Hz":
      return scaled(value, "Hz");
    case "%":
    case "pct":
      return percent(value);
    case "count":
      return Number.isInteger(value) ? count(value) : number(value);
    case "":
      return number(value);
    default:
      return `${number(value)} ${unit.replace(/_per_s$/, "/s")}`;
  }
}

// Time on the axis: the unit follows the size of the time, the precision the distance of marks.
export function axisTime(ns: number, stepNs: number): string {
  const time = Math.round(ns / stepNs) * stepNs || 0; // no minus zero
  const reach = Math.max(Math.abs(time), stepNs);
  const [unit, size] = reach >= 1e9 ? ["s", 1e9] : reach >= 1e6 ? ["ms", 1e6] : reach >= 1e3 ? ["µs", 1e3] : ["ns", 1];
  const places = time === 0 ? 0 : Math.max(0, Math.min(9, Math.ceil(-Math.log10(stepNs / (size as number)) - 1e-9)));
  return minus(`${(time / (size as number)).toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places })} ${unit}`);
}

// A C++ kernel name without return type, parameters and namespaces: what a person calls it.
const shortNames = new Map<string, string>();
export function shortName(name: string): string {
  let short = shortNames.get(name);
  if (short === undefined) {
    short = shorten(name);
    if (shortNames.size < 200_000) shortNames.set(name, short);
  }
  return short;
}

function shorten(name: string): string {
  // Only C++ signatures: template brackets or parameters behind a type. Python frames and calls stay as they are.
  if (/\.py\(\d+\): /.test(name) || !/^void |<.*>|::.*\(/.test(name) || name.length > 20_000) return name;
  let text = name.replace(/^void /, "").replace(/\(anonymous namespace\)::/g, "");
  let depth = 0;
  for (let i = 0; i < text.length; ++i) {
    const char = text[i];
    if (char === "<") ++depth;
    else if (char === ">" && text[i - 1] !== "-") depth = Math.max(0, depth - 1);
    else if (char === "(" && depth === 0 && i > 0) {
      text = text.slice(0, i);
      break;
    }
  }
  return text.replace(/\b(?:[A-Za-z_]\w*::)+(?=[A-Za-z_~])/g, "").replace(/^\s+|\s+$/g, "") || name;
}
