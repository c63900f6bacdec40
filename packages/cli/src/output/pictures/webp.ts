import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { THUMBNAIL_WIDTHS } from '@bindery/contract/limits';
import decode, { init } from '@jsquash/webp/decode.js';
import type { Picture } from './protocols.ts';

/** Maximum pixels of the longer side. Pictures with a larger size in their header are not decoded. */
const MAX_SIDE = THUMBNAIL_WIDTHS[0];

let ready: Promise<void> | undefined;

/** Decodes a small thumbnail; returns null if the bytes are anything else. */
export async function decodeThumbnail(bytes: Buffer): Promise<Picture | null> {
  const said = sizeOf(bytes);
  if (said === null || Math.max(said.width, said.height) > MAX_SIDE) return null;
  try {
    ready ??= load();
    await ready;
    const { width, height, data } = await decode(new Uint8Array(bytes).buffer);
    const same = width === said.width && height === said.height && data.length === width * height * 4;
    return same ? { width, height, pixels: new Uint8Array(data.buffer) } : null;
  } catch {
    return null;
  }
}

async function load(): Promise<void> {
  const wasm = import.meta.resolve('@jsquash/webp/codec/dec/webp_dec.wasm');
  await init(await WebAssembly.compile(await readFile(fileURLToPath(wasm))));
}

/** Reads the size from the header of a WebP: https://www.rfc-editor.org/rfc/rfc9649#section-2 */
function sizeOf(bytes: Buffer): { width: number; height: number } | null {
  const name = (at: number) => bytes.toString('latin1', at, at + 4);
  if (bytes.length < 30 || name(0) !== 'RIFF' || name(8) !== 'WEBP') return null;
  if (bytes.readUInt32LE(4) + 8 > bytes.length) return null;
  switch (name(12)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return null;
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
