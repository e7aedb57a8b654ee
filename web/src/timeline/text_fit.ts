// Cuts texts to a width. Widths of characters are measured once for the font, as measuring each text is slow.

export class TextFit {
  private readonly widths = new Map<number, number>();
  private readonly ellipsis: number;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly font: string,
  ) {
    context.font = font;
    this.ellipsis = context.measureText("…").width;
  }

  private widthOf(code: number): number {
    let width = this.widths.get(code);
    if (width === undefined) {
      this.context.font = this.font;
      width = this.context.measureText(String.fromCharCode(code)).width;
      this.widths.set(code, width);
    }
    return width;
  }

  // The text if it fits, else its beginning and an ellipsis; "" if not even three characters fit.
  cut(text: string, room: number): string {
    let width = 0;
    let fits = 0;
    for (let i = 0; i < text.length; ++i) {
      width += this.widthOf(text.charCodeAt(i));
      if (width <= room - this.ellipsis) fits = i + 1;
      if (width > room) return fits < 3 ? "" : `${text.slice(0, fits)}…`;
    }
    return text;
  }
}
