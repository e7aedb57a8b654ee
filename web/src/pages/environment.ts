// What the recording says about the machine, the program and itself.
import type { Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { count } from "../ui/format";
import { t } from "../ui/i18n";
import { prose } from "../ui/prose";
import type { Context } from "./pages";

export async function environmentPage(page: HTMLElement, context: Context): Promise<void> {
  const table = await context.source.json<Table>("env");
  const groups = new Map<string, [string, string][]>();
  for (const row of table.rows) {
    const [subject, fact, value] = row.map((cell) => (cell === null ? "" : String(cell)));
    const list = groups.get(subject) ?? [];
    list.push([fact, value]);
    groups.set(subject, list);
  }
  const counts = Object.entries(context.head.counts).map(([name, value]) => el("div", { class: "fact" }, el("dt", {}, clean(name)), el("dd", {}, typeof value === "number" ? count(value) : clean(String(value)))));
  replace(
    page, el("h2", {}, prose(table.title)),
    el("div", { class: "fact-groups" }, ...[...groups].map(([subject, facts]) => el("section", { class: "block" }, el("h3", { class: "mono" }, clean(subject)), el("dl", { class: "facts" }, ...facts.map(([fact, value]) => el("div", { class: "fact" }, el("dt", {}, clean(fact)), el("dd", {}, clean(value))))))), counts.length ? el("section", { class: "block" }, el("h3", {}, t("counts")), el("dl", { class: "facts" }, ...counts)) : null),
    ...table.notes.map((text) => el("p", { class: "muted note" }, prose(text))),
  );
}
