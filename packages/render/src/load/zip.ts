import { inflateRawSync } from 'node:zlib';
import { Unrenderable } from '../errors.ts';
import { type FileSource, shown } from '../files.ts';

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Where the header before the data begins. */
  readonly start: number;
}

/** The files of a ZIP archive, stored or deflated, none of them over 4 GiB. @throws Unrenderable when it is damaged. */
export function openZip(archive: Uint8Array): FileSource {
  const view = new DataView(archive.buffer, archive.byteOffset, archive.byteLength);
  const entries = readDirectory(archive, view);
  return {
    sizes: new Map([...entries.values()].map(({ name, bytes }) => [name, bytes])),
    read: async (path) => {
      const entry = entries.get(path);
      if (entry === undefined) throw new Unrenderable(`no such file: ${shown(path)}`);
      return unpack(entry, archive, view);
    },
  };
}

function readDirectory(archive: Uint8Array, view: DataView): Map<string, Entry> {
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  const entries = new Map<string, Entry>();
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index++) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY_SIGNATURE)
      throw new Unrenderable('the directory of the ZIP archive is damaged');
    const field = (offset: number) => view.getUint16(at + offset, true);
    const nameEnd = at + ENTRY_BYTES + field(28);
    const entry = {
      name: new TextDecoder('utf-8').decode(archive.subarray(at + ENTRY_BYTES, nameEnd)),
      isEncrypted: (field(8) & 1) === 1,
      method: field(10),
      packedBytes: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    };
    if (!entry.name.endsWith('/')) entries.set(entry.name, entry);
    at = nameEnd + field(30) + field(32);
  }
  return entries;
}

/** The last record of the archive, which only a comment may follow. */
function findEnd(view: DataView): number {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at--) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  throw new Unrenderable('not a ZIP archive, or cut off');
}

function unpack(
  { name, isEncrypted, method, packedBytes, bytes, start }: Entry,
  archive: Uint8Array,
  view: DataView,
): Uint8Array {
  if (start + LOCAL_BYTES > archive.byteLength || view.getUint32(start, true) !== LOCAL_SIGNATURE)
    throw new Unrenderable(`${shown(name)} is not where the ZIP archive says`);
  const data = start + LOCAL_BYTES + view.getUint16(start + 26, true) + view.getUint16(start + 28, true);
  const packed = archive.subarray(data, data + packedBytes);
  if (isEncrypted || (method !== STORED && method !== DEFLATED))
    throw new Unrenderable(`${shown(name)} is encrypted, or packed in a way that is not known`);
  const unpacked = method === STORED ? packed : inflated(packed, bytes);
  if (unpacked?.byteLength !== bytes) throw new Unrenderable(`${shown(name)} in the ZIP archive is damaged`);
  return unpacked;
}

function inflated(packed: Uint8Array, bytes: number): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch {
    return undefined;
  }
}
