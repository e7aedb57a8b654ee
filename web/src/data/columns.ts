// Reader of the binary columns (docs/formats/report.md): little endian container, LEB128 varints, float32.
// Input may be damaged: every read is checked, and a column that ends early is an Error with its name.

export interface Column {
  type: number;
  rows: number;
  bytes: Uint8Array;
}

export function readContainer(data: Uint8Array): Map<string, Column> {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const columns = new Map<string, Column>();
  let at = 0;
  const need = (count: number): void => {
    if (at + count > data.byteLength) throw new Error(`columns end at byte ${data.byteLength}, ${at + count} needed`);
  };
  need(4);
  const count = view.getUint32(0, true);
  at = 4;
  for (let i = 0; i < count; ++i) {
    need(1);
    const nameLength = data[at++];
    need(nameLength + 9);
    const name = new TextDecoder().decode(data.subarray(at, at + nameLength));
    at += nameLength;
    const type = data[at++];
    const rows = view.getUint32(at, true);
    const length = view.getUint32(at + 4, true);
    at += 8;
    need(length);
    columns.set(name, { type, rows, bytes: data.subarray(at, at + length) });
    at += length;
  }
  return columns;
}

export function column(columns: Map<string, Column>, name: string): Column {
  const found = columns.get(name);
  if (!found) throw new Error(`column ${name} is missing`);
  return found;
}

// Reads varints one after the other. Values up to 2^53 are exact; longer ones lose low bits but never the position.
export class VarintReader {
  private at = 0;
  constructor(
    private readonly bytes: Uint8Array,
    private readonly name: string,
  ) {}

  unsigned(): number {
    const bytes = this.bytes;
    let byte = this.byteAt();
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let shift = 7;
    for (;;) {
      byte = this.byteAt();
      // Up to 28 bits stay in integer arithmetic; beyond, multiplication keeps 53 bits.
      if (shift < 28) value |= (byte & 0x7f) << shift;
      else value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
      shift += 7;
      if (shift > 63) throw new Error(`column ${this.name}: a number is longer than 10 bytes at byte ${this.at} of ${bytes.length}`);
    }
  }

  signed(): number {
    const value = this.unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  private byteAt(): number {
    if (this.at >= this.bytes.length) throw new Error(`column ${this.name} ends early`);
    return this.bytes[this.at++];
  }
}

export function readUnsigned<T extends Uint8Array | Uint32Array | Float64Array>(columns: Map<string, Column>, name: string, target: new (length: number) => T): T {
  const source = column(columns, name);
  checkRows(source, name, 1);
  const values = new target(source.rows);
  const reader = new VarintReader(source.bytes, name);
  for (let i = 0; i < source.rows; ++i) values[i] = reader.unsigned();
  return values;
}

export function readFloats(columns: Map<string, Column>, name: string): Float32Array {
  const source = column(columns, name);
  if (source.bytes.length !== source.rows * 4) throw new Error(`column ${name} has ${source.bytes.length} bytes for ${source.rows} numbers`);
  const view = new DataView(source.bytes.buffer, source.bytes.byteOffset, source.bytes.byteLength);
  const values = new Float32Array(source.rows);
  for (let i = 0; i < source.rows; ++i) values[i] = view.getFloat32(i * 4, true);
  return values;
}

// A varint takes at least a byte: more rows than bytes is a lie that would cost memory.
export function checkRows(source: Column, name: string, bytesPerRow: number): void {
  if (source.rows * bytesPerRow > source.bytes.length) throw new Error(`column ${name} claims ${source.rows} rows in ${source.bytes.length} bytes`);
}
