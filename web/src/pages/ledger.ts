// How far the data can be trusted: everything dropped, repaired or odd, and what was left out of this report.
import type { Table } from "../data/types";
import { clean, el, replace } from "../ui/dom";
import { t } from "../ui/i18n";
import { prose, remark } from "../ui/prose";
import { TableView } from "../ui/table";
import type { Context } from "./pages";

export async function ledgerPage(page: HTMLElement, context: Context): Promise<void> {
  const table = await context.source.json<Table>("ledger");
  const abstained = context.head.verdict?.abstained ?? [];
  const limits = Object.entries(context.head.limits).filter(([, value]) => typeof value === "string" || Array.isArray(value));
  replace(
    page, el("h2", {}, clean(table.title)), table.rows.length ? new TableView(table, "ledger").element : el("p", {}, t("noLedger")),
    abstained.length ? el("section", { class: "block" }, el("h3", {}, t("notJudged")), el("ul", {}, ...abstained.map((one) => el("li", {}, el("span", { class: "mono" }, clean(one.id)), ` – ${prose(one.reason)} `, el("span", { class: "muted mono" }, clean(one.record_instead)))))) : null,
    limits.length ? el("section", { class: "block" }, el("h3", {}, t("limits")), el("ul", {}, ...limits.map(([, value]) => el("li", {}, remark(Array.isArray(value) ? value.join("; ") : String(value)))))) : null,
  );
}
