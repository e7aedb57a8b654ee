// Interface texts in English and Simplified Chinese. Sentences of the report itself come in its own language, and in a
// section of their own what they are called in the other one.
import { en } from "./texts_en";
import { zh } from "./texts_zh";

export type TextKey = keyof typeof en;
export type Language = "en" | "zh";

const languages: Record<Language, Record<TextKey, string>> = { en, zh };
let current: Language = "en";

export function setLanguage(language: string): void {
  current = language.startsWith("zh") ? "zh" : "en";
  document.documentElement.lang = current === "zh" ? "zh-Hans" : "en";
}

export const language = (): Language => current;

// t("found", {n: 3}) fills {n}.
export function t(key: TextKey, values: Record<string, string | number> = {}): string {
  return languages[current][key].replace(/\{(\w+)\}/g, (whole, name: string) => (name in values ? String(values[name]) : whole));
}

export function hasText(key: string): key is TextKey {
  return key in en;
}

// Sentences of the report in the other language, by how the report has them.
let others: { lang: Language; texts: Map<string, string> } | null = null;

export function learnTexts(section: { lang?: unknown; texts?: unknown }): void {
  const texts = new Map<string, string>();
  if (typeof section.texts === "object" && section.texts !== null) {
    for (const [own, other] of Object.entries(section.texts)) if (typeof other === "string") texts.set(own, other);
  }
  others = { lang: String(section.lang).startsWith("zh") ? "zh" : "en", texts };
}

// A sentence of the report in the language on the screen, as far as it is known in it.
export function told(text: string): string {
  return others?.lang === current ? (others.texts.get(text) ?? text) : text;
}
