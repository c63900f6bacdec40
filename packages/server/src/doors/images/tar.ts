import type { ClosureFile } from '../../revision/file-closure.ts';

/*
 * Archives in TAR (POSIX pax) that depend on paths and contents alone: every file has the same owner, mode and time. What
 * is written here is in digests that clients have, so it never changes.
 */

export type TarFile = Pick<ClosureFile, 'path' | 'size' | 'sha256'>;

/** What an archive consists of, in this order: bytes of the format, and files. */
export type TarPiece = { bytes: Buffer } | { file: TarFile };

const BLOCK = 512;
const END = Buffer.alloc(2 * BLOCK);

/** What the header of a file has room for: bytes of its name, and bytes of content, in octal digits. */
const MOST = { name: 100, size: 8 ** 11 - 1 };

/** The bytes of an archive. */
export function tarLength(files: Iterable<TarFile>): number {
  let length = END.length;
  for (const file of files) length += headLength(file) + padded(file.size);
  return length;
}

/** Yields the pieces of an archive of these files with the position of each, from the last one at or before `from` on. */
export function* tarPieces(
  files: Iterable<TarFile>,
  from = 0,
): Generator<{ position: number; piece: TarPiece }> {
  let position = 0;
  for (const file of files) {
    const content = position + headLength(file);
    const end = content + file.size;
    if (from < content) yield { position, piece: { bytes: head(file) } };
    if (from < end) yield { position: content, piece: { file } };
    position = content + padded(file.size);
    if (from < position && end < position)
      yield { position: end, piece: { bytes: Buffer.alloc(position - end) } };
  }
  yield { position, piece: { bytes: END } };
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

function headLength(file: TarFile): number {
  const records = recordsOf(file);
  return BLOCK + (records.length > 0 ? BLOCK + padded(records.length) : 0);
}

function head(file: TarFile): Buffer {
  const records = recordsOf(file);
  if (records.length === 0) return header(file.path, file.size, '0');
  const named = header('pax', records.length, 'x');
  const size = file.size > MOST.size ? 0 : file.size;
  const padding = Buffer.alloc(padded(records.length) - records.length);
  return Buffer.concat([named, records, padding, header('file', size, '0')]);
}

const NONE = Buffer.alloc(0);

/** What a header cannot say: names that are long or not ASCII, and large sizes. */
function recordsOf({ path, size }: TarFile): Buffer {
  const isLong = path.length > MOST.name || Buffer.byteLength(path) > path.length;
  if (!isLong && size <= MOST.size) return NONE;
  const name = isLong ? record('path', path) : '';
  return Buffer.from(name + (size > MOST.size ? record('size', String(size)) : ''));
}

/** A record begins with its own length in decimal digits. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length = String(length).length + rest;
  return `${length} ${key}=${value}\n`;
}

function header(name: string, size: number, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  block.write(name, 0, 'latin1');
  octal(0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(0, 136, 11);
  block.write(`        ${type}`, 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block[154] = 0;
  return block;
}
