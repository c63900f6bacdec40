import { type Zippable, zipSync } from 'fflate';

/** Where files begin in an archive of USD. */
const ALIGNMENT = 64;
const LOCAL_HEADER_BYTES = 30;
const EXTRA_HEADER_BYTES = 4;
/** The number by which USD marks the bytes that align files. */
const PADDING = 0x1986;

/** Packs files as USD reads them without unpacking: stored, each at a multiple of 64 bytes. The first one is the stage. */
export function usdzArchive(files: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const entries: Zippable = {};
  let offset = 0;
  for (const [path, bytes] of files) {
    const start =
      offset + LOCAL_HEADER_BYTES + new TextEncoder().encode(path).byteLength + EXTRA_HEADER_BYTES;
    const padding = (ALIGNMENT - (start % ALIGNMENT)) % ALIGNMENT;
    entries[path] = [bytes, { extra: { [PADDING]: new Uint8Array(padding) } }];
    offset = start + padding + bytes.byteLength;
  }
  // The same files give the same archive.
  return zipSync(entries, { level: 0, mtime: '1980-01-01T00:00:00' });
}
