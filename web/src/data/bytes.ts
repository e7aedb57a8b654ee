// Base64 and raw deflate, as the sections of the page are written.

// As Uint8Array.fromBase64 where the browser has it: several times faster than atob for megabytes.
interface FromBase64 {
  fromBase64?: (text: string) => Uint8Array;
}

export function decodeBase64(text: string): Uint8Array {
  const direct = (Uint8Array as unknown as FromBase64).fromBase64;
  if (direct) return direct.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
