// Time to pixels and back, and the moves that a reader makes. Times in ns, x in CSS pixels from the canvas's left.

export class Scale {
  t0 = 0;
  t1 = 1;
  width = 1;

  constructor(
    readonly begin: number,
    readonly end: number,
  ) {
    this.fit();
  }

  get nsPerPx(): number {
    return (this.t1 - this.t0) / this.width;
  }

  x(time: number): number {
    return (time - this.t0) / this.nsPerPx;
  }

  time(x: number): number {
    return this.t0 + x * this.nsPerPx;
  }

  fit(): void {
    const margin = (this.end - this.begin) * 0.01;
    this.show(this.begin - margin, this.end + margin);
  }

  // Shows [from, to], kept within sight of the recording and above 20 ns.
  show(from: number, to: number): void {
    const extent = this.end - this.begin;
    let length = Math.min(Math.max(to - from, 20), extent * 1.1 + 20);
    const middle = (from + to) / 2;
    if (!Number.isFinite(length)) length = extent;
    let t0 = middle - length / 2;
    t0 = Math.min(Math.max(t0, this.begin - length * 0.5), this.end - length * 0.5);
    this.t0 = t0;
    this.t1 = t0 + length;
  }

  // factor < 1: closer. The time under x stays there.
  zoom(factor: number, x: number): void {
    const at = this.time(x);
    const length = Math.min(Math.max((this.t1 - this.t0) * factor, 20), (this.end - this.begin) * 1.1 + 20);
    const share = x / this.width;
    this.show(at - length * share, at + length * (1 - share));
  }

  pan(px: number): void {
    const shift = px * this.nsPerPx;
    this.show(this.t0 + shift, this.t1 + shift);
  }

  // Distance of axis marks: 1, 2 or 5 times a power of ten, at least minPx apart.
  tick(minPx: number): number {
    const raw = this.nsPerPx * minPx;
    const power = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-3)));
    for (const factor of [1, 2, 5, 10]) if (power * factor >= raw) return Math.max(1, power * factor);
    return power * 10;
  }
}
