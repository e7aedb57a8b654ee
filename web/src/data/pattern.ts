// Regular expressions of the search box, bounded: the browser's engine goes back over its choices, so a pattern such as
// (a+)+b does not end on an ordinary name, and a link to a report carries its search.

// Characters of a name that are looked at, by the pattern's unbounded repeats: n characters and r repeats take at most
// n^(r+1) / (r+1)! steps, so below 70 million each.
const TEXT = [2000, 2000, 500, 200];
const BUDGET_MS = 300; // of all names together

// How many unbounded repeats the pattern has; null if its steps are not bounded: too many of them, a repeated group, a
// back reference.
export function repeatsOf(source: string): number | null {
  let repeats = 0;
  let inClass = false;
  for (let i = 0; i < source.length; ++i) {
    const c = source[i];
    if (c === "\\") {
      const next = source[++i] ?? "";
      if (!inClass && (/[1-9]/.test(next) || next === "k")) return null;
    } else if (inClass) {
      if (c === "]") inClass = false;
    } else if (c === "[") {
      inClass = true;
    } else if (c === "*" || c === "+" || c === "{") {
      if (source[i - 1] === ")") return null;
      if (++repeats >= TEXT.length) return null;
    }
  }
  return repeats;
}

// null: no regular expression, or one that is not bounded.
export function boundedRegex(source: string, flags: string): ((text: string) => boolean) | null {
  const repeats = repeatsOf(source);
  if (repeats === null) return null;
  let regex: RegExp;
  try {
    regex = new RegExp(source, flags);
  } catch {
    return null;
  }
  let left = BUDGET_MS;
  return (text) => {
    if (left <= 0) return false;
    const begin = performance.now();
    const found = regex.test(text.slice(0, TEXT[repeats]));
    left -= performance.now() - begin;
    return found;
  };
}
