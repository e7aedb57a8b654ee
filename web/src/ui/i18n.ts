// Interface texts in English and Simplified Chinese. Texts of findings come in the report's own language.
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
