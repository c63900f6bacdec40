import { type UnzipFileFilter, unzipSync } from 'fflate';
import { type FileSource, toMessageText } from './asset-files.ts';
import { Unrenderable } from './errors.ts';

/** The files of a ZIP archive, each unpacked when it is read. @throws Unrenderable when the archive is damaged. */
export function openZip(bytes: Uint8Array): FileSource {
  const archive = announcing64Bits(bytes);
  const sizes = new Map<string, number>();
  unzip(archive, ({ name, originalSize }) => {
    if (!name.endsWith('/')) sizes.set(name, originalSize);
    return false;
  });
  return {
    sizes,
    read: async (path) => {
      const bytes = unzip(archive, ({ name }) => name === path)[path];
      if (bytes?.byteLength !== sizes.get(path))
        throw new Unrenderable(`${toMessageText(path)} in the ZIP archive is damaged`);
      return bytes as Uint8Array;
    },
  };
}

function unzip(archive: Uint8Array, filter: UnzipFileFilter): Record<string, Uint8Array> {
  try {
    return unzipSync(archive, { filter });
  } catch (error) {
    throw new Unrenderable('not a ZIP archive, or cut off or damaged', { cause: error });
  }
}

const [ENTRY, END, END_64, LOCATOR_64] = [0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
const [ENTRY_BYTES, END_BYTES, END_64_BYTES, LOCATOR_64_BYTES] = [46, 22, 56, 20];
const MAX_COMMENT = 0xffff;
/** In place of a size that has 64 bits. */
const ELSEWHERE = 0xffffffff;

/**
 * Writers of 3MF give every file sizes of 64 bits in an archive that does not announce them; fflate only reads them in one
 * that does. Returns such an archive with the announcement, and others as they are.
 */
function announcing64Bits(archive: Uint8Array): Uint8Array {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const uint32 = (at: number) => (at >= 0 && at + 4 <= view.byteLength ? view.getUint32(at, true) : 0);
  const uint16 = (at: number) => (at >= 0 && at + 2 <= view.byteLength ? view.getUint16(at, true) : 0);
  let end = archive.byteLength - END_BYTES;
  while (end > 0 && uint32(end) !== END && archive.byteLength - end < END_BYTES + MAX_COMMENT) end--;
  if (uint32(end) !== END || uint32(end - LOCATOR_64_BYTES) === LOCATOR_64) return archive;
  const [count, start] = [uint16(end + 10), uint32(end + 16)];
  let isWide = false;
  for (let entry = 0, at = start; entry < count && uint32(at) === ENTRY; entry++) {
    isWide ||= uint32(at + 20) === ELSEWHERE || uint32(at + 24) === ELSEWHERE;
    at += ENTRY_BYTES + uint16(at + 28) + uint16(at + 30) + uint16(at + 32);
  }
  if (!isWide) return archive;
  const out = new Uint8Array(archive.byteLength + END_64_BYTES + LOCATOR_64_BYTES);
  const written = new DataView(out.buffer);
  out.set(archive.subarray(0, end));
  written.setUint32(end, END_64, true);
  written.setUint32(end + 32, count, true);
  written.setUint32(end + 48, start, true);
  written.setUint32(end + END_64_BYTES, LOCATOR_64, true);
  written.setUint32(end + END_64_BYTES + 8, end, true);
  out.set(archive.subarray(end), end + END_64_BYTES + LOCATOR_64_BYTES);
  return out;
}
