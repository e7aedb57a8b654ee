// The list of pages, in the order of the navigation, and when each is there.
import type { Source } from "../data/source";
import type { Head } from "../data/types";
import type { Model } from "../timeline/model";
import type { StateStore } from "../ui/state";
import { diffPage } from "./diff";
import { environmentPage } from "./environment";
import { flamePage } from "./flame";
import { ledgerPage } from "./ledger";
import { memoryPage } from "./memory";
import { rooflinePage } from "./roofline";
import { stallsPage } from "./stalls";
import { stepsPage } from "./steps";
import { tablesPage } from "./tables";
import { verdictPage } from "./verdict";

export interface Context {
  head: Head;
  source: Source;
  state: StateStore;
  model(): Promise<Model>;
  open(name: PageName): void;
  openTable(table: string): void;
  searchTimeline(text: string): void;
  showPlace(from: number, to: number, track: string | null, proves?: string): void;
}

export type PageName = "verdict" | "timeline" | "flame" | "tables" | "memory" | "steps" | "roofline" | "stalls" | "diff" | "environment" | "ledger";

type Page = (element: HTMLElement, context: Context) => void | Promise<void>;

export const pages: Record<Exclude<PageName, "timeline">, Page> = {
  verdict: verdictPage,
  flame: flamePage,
  tables: tablesPage,
  memory: memoryPage,
  steps: stepsPage,
  roofline: rooflinePage,
  stalls: stallsPage,
  diff: diffPage,
  environment: environmentPage,
  ledger: ledgerPage,
};

export function tableNames(source: Source, head: Head): string[] {
  const names = new Set(head.sections.filter((name) => name.startsWith("table:")).map((name) => name.slice(6)));
  return [...names].filter((name) => source.has(`table:${name}`));
}

export function availablePages(source: Source, head: Head): PageName[] {
  const has = (name: string): boolean => source.has(name) || head.sections.includes(name);
  const there: Record<PageName, boolean> = {
    verdict: true,
    timeline: has("tracks") && !(head.counts["spans"] === 0 && head.counts["series"] === 0),
    flame: has("flame"),
    tables: tableNames(source, head).length > 0 || head.sections.some((name) => name.startsWith("table:")),
    memory: has("series") && head.counts["series"] !== 0,
    steps: head.steps.length > 0 || has("table:steps"),
    roofline: has("table:roofline"),
    stalls: has("table:stalls"),
    diff: has("diff"),
    environment: has("env"),
    ledger: has("ledger"),
  };
  return (Object.keys(there) as PageName[]).filter((name) => there[name]);
}
