// Sentences that come with the report, as the page spells them: µs, a real minus, a real arrow. What stands between
// backticks is code and stays as it is; nothing is touched but numbers with a unit and arrows between blanks.
import { clean, el } from "./dom";
import { t, told } from "./i18n";

const UNIT = "(?:%|(?:ns|µs|ms|s|min|B|KiB|MiB|GiB|TiB|FLOP|W|MHz)(?![\\w/]))";

function spelled(text: string): string {
  return text
    .replace(/(\d) us(?![\w/])/g, "$1 µs")
    .replace(/ -> /g, " → ")
    .replace(new RegExp(`(^|[\\s(,:])-(?=\\d[\\d.,]* ?${UNIT})`, "g"), "$1−");
}

export function prose(text: string): string {
  return clean(told(text)).split("`").map((part, i) => (i % 2 ? part : spelled(part))).join("`");
}

// The same as nodes whose amounts, and two amounts with an arrow between them, are never broken over lines.
export function headline(text: string): Node[] {
  const amount = `−?\\d[\\d.,]* ?${UNIT}`;
  const whole = new RegExp(`(${amount}(?: → ${amount})?)`, "g");
  return prose(text).split(whole).filter(Boolean).map((part) => (part.match(whole)?.[0] === part ? el("span", { class: "whole" }, part) : document.createTextNode(part)));
}

// Flags of the command line do nothing in a page: a remark about one says where it belongs.
export function remark(text: string): string {
  const without = prose(text).replace(/ ?[(（]--[^)）]*[)）]/g, "");
  if (/\b(warpscope|ncu|nsys|nvidia-smi|rocprofv3)\b/.test(without)) return without;
  return without.replace(/(^|[\s:：,，;；]|[^\x00-\x7f])(--[a-z][\w-]*)/, (_, before: string, flag: string) => `${before}${/\s$/.test(before) || !before ? "" : " "}warpscope … ${flag}`);
}

// The last line of a terminal's table says which flags show more. null: the page has those tables as tabs.
export function tableNote(text: string, family: string, hasVariants: boolean): string | null {
  text = told(text);
  const more = /^(?:More|更多)\s*[:：]\s*(--[^.。]*)[.。]?\s*(.*)$/s.exec(text);
  if (!more) return remark(text);
  const rest = more[2] ? remark(more[2]) : "";
  if (hasVariants) return rest || null;
  return `${t("onCommandLine", { command: `warpscope ${family} ${prose(more[1])}` })}. ${rest}`.trim();
}
