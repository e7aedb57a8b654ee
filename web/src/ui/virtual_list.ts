// A list of rows of one height, of which only those in sight exist as elements. Used by tables and match lists.
import { el, replace } from "./dom";

export class VirtualList {
  readonly element: HTMLElement;
  private readonly inner: HTMLElement;
  private frame = 0;

  constructor(
    private count: number,
    private readonly rowHeight: number,
    private readonly make: (index: number) => HTMLElement,
    role = "list",
  ) {
    this.inner = el("div", { class: "virtual-inner" });
    this.element = el("div", { class: "virtual", role, tabindex: 0 }, this.inner);
    this.element.addEventListener("scroll", () => this.later());
    new ResizeObserver(() => this.later()).observe(this.element);
  }

  setCount(count: number): void {
    this.count = count;
    this.refresh();
  }

  reveal(index: number): void {
    const y = index * this.rowHeight;
    const view = this.element.clientHeight;
    if (y < this.element.scrollTop || y + this.rowHeight > this.element.scrollTop + view) this.element.scrollTop = Math.max(0, y - view / 2);
    this.later();
  }

  refresh(): void {
    this.inner.style.height = `${this.count * this.rowHeight}px`;
    const view = this.element.clientHeight || 400;
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.rowHeight) - 8);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + view) / this.rowHeight) + 8);
    const rows: HTMLElement[] = [];
    for (let i = first; i < last; ++i) {
      const row = this.make(i);
      row.style.position = "absolute";
      row.style.top = `${i * this.rowHeight}px`;
      row.style.height = `${this.rowHeight}px`;
      rows.push(row);
    }
    replace(this.inner, ...rows);
  }

  private later(): void {
    if (!this.frame)
      this.frame = requestAnimationFrame(() => {
        this.frame = 0;
        this.refresh();
      });
  }
}
