// Vite plugin: puts script and style into the page, so that the report is one file, and names the script's hash in
// the content security policy: the browser then runs this script and nothing else, whatever a trace contains.
import { createHash } from "node:crypto";
import type { Plugin } from "vite";

export const DATA_LINE = "<!--WARPSCOPE-DATA-->";

// Inside a script element the parser looks for these; in a string literal the backslash changes nothing.
function scriptSafe(code: string): string {
  return code.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");
}

export function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      let script = "";
      let style = "";
      let page: { fileName: string; source: string } | undefined;
      for (const [fileName, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code;
        else if (fileName.endsWith(".css")) style += String(item.source);
        else if (fileName.endsWith(".html")) page = { fileName, source: String(item.source) };
        delete bundle[fileName];
      }
      if (!page) throw new Error("no HTML page in the bundle");
      const code = scriptSafe(script.trim());
      const hash = createHash("sha256").update(code).digest("base64");
      const source = page.source
        .replace(/<script[^>]*\bsrc=[^>]*><\/script>\s*/g, "")
        .replace(/<link[^>]*rel="stylesheet"[^>]*>\s*/g, "")
        .replace("SCRIPT-HASH", () => hash)
        .replace("/*STYLE*/", () => style.trim())
        .replace("<!--SCRIPT-->", () => `<script>${code}</script>`);
      if (source.split(DATA_LINE).length !== 2) throw new Error("the page must hold the data line exactly once");
      this.emitFile({ type: "asset", fileName: "report.html", source });
    },
  };
}
