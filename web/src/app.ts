// The frame of the report: heading, navigation, and one page at a time. Pages are made when first opened.
import { Source } from "./data/source";
import type { Head, Table } from "./data/types";
import { availablePages, type Context, type PageName, pages } from "./pages/pages";
import { Model } from "./timeline/model";
import { Timeline } from "./timeline/timeline";
import { clean, el, replace } from "./ui/dom";
import { language, learnTexts, setLanguage, t } from "./ui/i18n";
import { StateStore } from "./ui/state";
import { setTheme, theme } from "./ui/theme";

const OTHER_LANGUAGE = { en: "中文", zh: "EN" };
// Pages whose first heading says what is on them; the others get one that is read and not seen.
const OWN_HEADING = new Set<PageName>(["verdict", "diff"]);

export class App {
  private readonly source: Source;
  private readonly state = new StateStore();
  private readonly nav = el("nav", { class: "nav" });
  private readonly main = el("main", { id: "main", tabindex: -1 });
  private readonly made = new Map<PageName, HTMLElement>();
  private readonly scrolls = new Map<PageName, number>(); // where each page was left
  private readonly heading = el("h1", { class: "offscreen" });
  private shown: PageName | null = null;
  private model: Promise<Model> | null = null;
  private timeline: Timeline | null = null;

  constructor(
    private readonly root: HTMLElement,
    private readonly head: Head,
  ) {
    this.source = new Source(head);
    this.state.onChange(() => {
      this.open(this.page());
      this.timeline?.applyState();
    });
  }

  start(): void {
    this.draw();
    performance.mark("warpscope:verdict");
    // The timeline is decoded while the reader reads the verdict.
    setTimeout(() => {
      void this.loadModel().then(
        () => {
          performance.mark("warpscope:timeline");
          document.documentElement.dataset["ready"] = "timeline";
        },
        () => (document.documentElement.dataset["ready"] = "failed"),
      );
    }, 0);
  }

  private page(): PageName {
    const wanted = this.state.value.page;
    return availablePages(this.source, this.head).find((name) => name === wanted) ?? "verdict";
  }

  private draw(): void {
    const names = availablePages(this.source, this.head);
    const header = el(
      "header", { class: "top" }, el("a", { class: "skip", href: "#main", onclick: (event) => { event.preventDefault(); this.main.focus(); } }, t("skip")),
      el("span", { class: "brand" }, "Warpscope"), el("span", { class: "title", title: clean(this.head.title) }, clean(this.head.title)), this.nav,
      el("button", { class: "small", "aria-label": `${t("language")}: ${OTHER_LANGUAGE[language()]}`, title: t("language"), onclick: () => void this.switchLanguage() }, OTHER_LANGUAGE[language()]),
      el("button", { class: "small", "aria-label": t("theme"), title: t("theme"), onclick: () => setTheme(theme() === "dark" ? "light" : "dark") }, "◐"),
    );
    this.nav.setAttribute("aria-label", t("pages"));
    replace(this.nav, ...names.map((name) => el("button", { class: "nav-item", "data-page": name, onclick: () => this.go(name) }, t(name))));
    replace(this.root, header, this.main);
    this.open(this.page());
  }

  private async switchLanguage(): Promise<void> {
    if (this.source.has("texts")) await this.source.json<Record<string, unknown>>("texts").then(learnTexts, () => undefined);
    setLanguage(language() === "zh" ? "en" : "zh");
    this.made.clear();
    this.timeline = null;
    replace(this.main);
    this.draw();
  }

  private go(name: PageName): void {
    this.state.set({ page: name }, true);
    this.open(name);
  }

  private open(name: PageName): void {
    for (const item of this.nav.querySelectorAll<HTMLElement>(".nav-item")) {
      if (item.dataset["page"] === name) {
        item.setAttribute("aria-current", "page");
        item.scrollIntoView({ block: "nearest", inline: "nearest" });
      } else item.removeAttribute("aria-current");
    }
    if (this.shown !== null && this.shown !== name) this.scrolls.set(this.shown, this.main.scrollTop);
    let page = this.made.get(name);
    if (!page) {
      page = el("div", { class: `page page-${name}` });
      this.made.set(name, page);
      this.main.append(page);
      this.fill(name, page);
    }
    for (const [other, element] of this.made) element.hidden = other !== name;
    this.heading.textContent = t(name);
    if (OWN_HEADING.has(name)) this.heading.remove();
    else this.main.prepend(this.heading);
    if (this.shown !== name) this.main.scrollTop = this.scrolls.get(name) ?? 0;
    this.shown = name;
    if (name === "timeline") this.timeline?.draw();
  }

  private fill(name: PageName, page: HTMLElement): void {
    const failed = (error: unknown): void => replace(page, el("p", { class: "fatal", role: "alert" }, t("failed", { error: error instanceof Error ? error.message : String(error) })));
    if (name === "verdict") {
      try {
        void pages.verdict(page, this.context());
      } catch (error) {
        failed(error);
      }
      return;
    }
    replace(page, el("p", { class: "loading" }, t("loading")));
    if (name === "timeline") {
      void this.loadModel().then((model) => this.openTimeline(page, model)).catch(failed);
      return;
    }
    Promise.resolve(pages[name](page, this.context())).catch(failed);
  }

  private openTimeline(page: HTMLElement, model: Model): void {
    this.timeline = new Timeline(model, this.state);
    replace(page, this.timeline.element);
    const { timeline } = this;
    if (this.head.mode === "view") timeline.page(this.source);
    timeline.paint();
    performance.mark("warpscope:drawn");
    if (this.source.has("table:kernels")) void this.source.json<Table>("table:kernels").then((table) => timeline.learnKernels(table), () => undefined);
    document.documentElement.dataset["drawn"] = "timeline";
  }

  // Opens the timeline's page and acts as soon as it is drawn.
  private whenTimeline(act: (timeline: Timeline) => void): void {
    this.go("timeline");
    void this.loadModel().then(() => requestAnimationFrame(() => this.timeline && act(this.timeline)), () => undefined);
  }

  private loadModel(): Promise<Model> {
    this.model ??= this.source.timeline().then((data) => new Model(this.head, data));
    return this.model;
  }

  private context(): Context {
    return {
      head: this.head,
      source: this.source,
      state: this.state,
      model: () => this.loadModel(),
      open: (name) => this.go(name),
      openTable: (table) => {
        this.state.set({ table });
        this.made.get("tables")?.remove();
        this.made.delete("tables");
        this.scrolls.delete("tables");
        this.go("tables");
      },
      searchTimeline: (text) => this.whenTimeline((timeline) => timeline.setSearch(text)),
      showPlace: (from, to, track, proves) => this.whenTimeline((timeline) => timeline.showPlace(from, to, track, proves)),
    };
  }
}
