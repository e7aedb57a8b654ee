// Starts the page: the verdict is drawn from the head at once; everything else is decoded in the worker.
import "./style/base.css";
import "./style/verdict.css";
import "./style/timeline.css";
import "./style/pages.css";
import { App } from "./app";
import { readHead } from "./data/source";
import { el } from "./ui/dom";
import { setLanguage } from "./ui/i18n";
import { startTheme } from "./ui/theme";

startTheme();
const root = document.getElementById("app");
if (root) {
  try {
    const head = readHead();
    setLanguage(head.lang);
    document.title = head.title ? `${head.title} – Warpscope` : "Warpscope";
    new App(root, head).start();
  } catch (error) {
    root.append(el("p", { class: "fatal", role: "alert" }, error instanceof Error ? error.message : String(error)));
  }
}
