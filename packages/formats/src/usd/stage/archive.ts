import { FileIndex } from '../../files/file-index.ts';
import { type Resolved, resolveReference } from '../../files/resolve.ts';
import { ByteCursor, type ByteSource, sourceOf } from './byte-cursor.ts';

const END_SIGNATURE = 0x06054b50;
const ENTRY_SIGNATURE = 0x02014b50;
const LOCAL_SIGNATURE = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const MAX_COMMENT_BYTES = 0xffff;
const STORED = 0;

/** Splits the path of a file in an archive: `a/b.usdz[c/d.usda]` is `c/d.usda` in `a/b.usdz`. */
export function splitArchivePath(path: string): { readonly file: string; readonly inside: string } {
  const at = path.indexOf('[');
  return at > 0 && path.endsWith(']') && /\.usdz$/i.test(path.slice(0, at))
    ? { file: path.slice(0, at), inside: path.slice(at + 1, -1) }
    : { file: path, inside: '' };
}

/** Returns what a path such as `a.usdz[b.png]` means, from the bytes of `a.usdz`. */
export function readUsdFile(path: string, bytes: Uint8Array): Uint8Array {
  const { inside } = splitArchivePath(path);
  return inside === '' ? bytes : new UsdArchive(sourceOf(bytes)).read(inside);
}

interface Place {
  readonly at: number;
  readonly size: number;
  readonly isPlain: boolean;
}

/** A `.usdz`: a ZIP archive whose files are not compressed. Throws `UnreadableFileError` if it is damaged. */
export class UsdArchive {
  /** The layer that stands for the archive: its first file. */
  readonly entry: string;
  readonly #index: FileIndex;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #source: ByteSource;

  constructor(source: ByteSource) {
    this.#source = source;
    this.#places = readDirectory(source);
    const [first] = this.#places.keys();
    this.entry = first ?? this.#cursor(0).fail('it has no files');
    this.#index = new FileIndex(this.#places.keys());
  }

  #cursor(at: number): ByteCursor {
    return new ByteCursor(this.#source, at, 'archive');
  }

  resolve(from: string, text: string): Resolved {
    return resolveReference(this.#index, from, text);
  }

  read(path: string): Uint8Array {
    const { part, size } = this.open(path);
    return part(0, size);
  }

  open(path: string): ByteSource {
    const place = this.#places.get(path);
    if (place === undefined) return this.#cursor(0).fail(`it has no file ${path}`);
    if (!place.isPlain) this.#cursor(0).fail(`its file ${path} is compressed, which USD does not allow`);
    const cursor = this.#cursor(place.at);
    if (cursor.uint32() !== LOCAL_SIGNATURE) cursor.fail('its files are not where it says');
    cursor.bytes(22);
    const skipped = cursor.uint16() + cursor.uint16();
    cursor.bytes(skipped);
    const start = cursor.at;
    if (start + place.size > this.#source.size) cursor.fail('its files are not inside of it');
    return { size: place.size, part: (at, length) => this.#source.part(start + at, length) };
  }
}

/** Reads where the files of an archive are, in their order. */
function readDirectory(source: ByteSource): Map<string, Place> {
  const cursor = new ByteCursor(source, findEnd(source), 'archive');
  cursor.bytes(10);
  const count = cursor.uint16();
  cursor.uint32();
  cursor.at = cursor.uint32();
  const places: (Place & { name: string })[] = [];
  for (let left = count; left > 0; left--) {
    if (cursor.at + ENTRY_BYTES > source.size || cursor.uint32() !== ENTRY_SIGNATURE)
      cursor.fail('its directory is incomplete');
    cursor.bytes(6);
    const method = cursor.uint16();
    cursor.bytes(12);
    const size = cursor.uint32();
    const nameLength = cursor.uint16();
    const others = cursor.uint16() + cursor.uint16();
    cursor.bytes(8);
    const at = cursor.uint32();
    const name = new TextDecoder().decode(cursor.bytes(nameLength));
    cursor.bytes(others);
    if (name.endsWith('/')) continue;
    places.push({ name, at, size, isPlain: method === STORED });
  }
  return new Map(places.sort((a, b) => a.at - b.at).map(({ name, ...place }) => [name, place]));
}

function findEnd(source: ByteSource): number {
  const start = Math.max(0, source.size - END_BYTES - MAX_COMMENT_BYTES);
  const tail = source.part(start, source.size - start);
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  for (let at = tail.length - END_BYTES; at >= 0; at--)
    if (view.getUint32(at, true) === END_SIGNATURE) return start + at;
  return new ByteCursor(source, 0, 'archive').fail('it has no directory, so its end is missing');
}
