// Words for causes of idle time. The recording names them in English; the interface may be Chinese.
import { hasText, t } from "./i18n";
import { clean } from "./dom";

// "data loading" or "data_loading" to a text of the interface; unknown ones stay as they are.
export function causeName(cause: string): string {
  const key = `cause_${cause.toLowerCase().replace(/ /g, "_")}`;
  return hasText(key) ? t(key) : clean(cause);
}
