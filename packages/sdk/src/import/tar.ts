import { ImportError } from '../failures.ts';

const BLOCK = 512;

/** Bytes of an extended header, and of all padding that an archive may have at its end. */
const MAX_HEADER = 64 * 2 ** 10;
const MAX_PADDING = 2 ** 20;

export interface TarEntry {
  path: string;
  /** Bytes of its content. */
  size: number;
  /** A file, that git made this of a commit, or why it is neither, for people. */
  kind: 'file' | 'commit' | (string & {});
  /** To be read before the next entry is asked for, or not at all. */
  content: AsyncIterable<Buffer>;
}

/** Reads a tar archive (ustar, pax, or with GNU's long names) as it comes; folders are left out. Throws `ImportError`. */
export async function* readTar(bytes: AsyncGenerator<Buffer>): AsyncGenerator<TarEntry> {
  try {
    yield* entriesOf(new Reader(bytes));
  } finally {
    await bytes.return(undefined);
  }
}

async function* entriesOf(reader: Reader): AsyncGenerator<TarEntry> {
  let extended = new Map<string, string>();
  for (let empty = 0; ; ) {
    const header = await reader.take(BLOCK);
    if (header === null) return;
    if (header.every((byte) => byte === 0)) {
      empty += BLOCK;
      if (empty > MAX_PADDING) throw damaged();
      continue;
    }
    verify(header);
    const type = String.fromCharCode(header[156] ?? 0);
    const stated = extended.get('size');
    const size = stated === undefined ? numberAt(header, 124, 12) : Number(stated);
    if (!Number.isSafeInteger(size) || size < 0) throw damaged();
    if ('xgLK'.includes(type)) {
      if (size > MAX_HEADER) throw damaged();
      const text = await reader.whole(size);
      if (type === 'x') extended = new Map([...extended, ...paxRecords(text)]);
      if (type === 'L') extended.set('path', text.toString().replace(/\0.*$/s, ''));
      if (type === 'g' && /^[0-9a-f]{40,64}$/.test(paxRecords(text).get('comment') ?? ''))
        yield { path: '', size: 0, kind: 'commit', content: reader.content(0) };
      continue;
    }
    const path = (extended.get('path') ?? nameOf(header)).replace(/^(?:\.\/)+/, '');
    extended = new Map();
    const content = reader.content(size);
    if (type !== '5' && !path.endsWith('/')) yield { path, size, kind: kindOf(type), content };
    for await (const _ of content);
    await reader.take((BLOCK - (size % BLOCK)) % BLOCK);
  }
}

function kindOf(type: string): string {
  if (type === '0' || type === '\0' || type === '7') return 'file';
  return type === '1' || type === '2' ? 'a link' : 'no file';
}

function nameOf(header: Buffer): string {
  const isUstar = header.toString('latin1', 257, 262) === 'ustar' && header[263] === 0x30;
  const prefix = isUstar ? textAt(header, 345, 155) : '';
  return prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`;
}

function textAt(header: Buffer, from: number, length: number): string {
  return header
    .subarray(from, from + length)
    .toString('utf8')
    .replace(/\0.*$/s, '');
}

/** Octal digits, or the number itself if its first bit is set. */
function numberAt(header: Buffer, from: number, length: number): number {
  if ((header[from] ?? 0) & 0x80) return Number(header.readBigUInt64BE(from + length - 8));
  const digits = textAt(header, from, length).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

/** Sums the header as if its own sum were spaces. */
function verify(header: Buffer): void {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (sum !== numberAt(header, 148, 8)) throw damaged();
}

/** Lines of `<length> <key>=<value>`. */
function paxRecords(text: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const space = text.indexOf(' ', at);
    const length = Number(text.toString('latin1', at, space));
    if (space === -1 || !Number.isInteger(length) || length < 4) throw damaged();
    const [, key = '', value = ''] =
      /^([^=]*)=(.*)\n$/s.exec(text.toString('utf8', space + 1, at + length)) ?? [];
    records.set(key, value);
    at += length;
  }
  return records;
}

function damaged(): ImportError {
  return new ImportError('source_refused', 'The archive is damaged, or no tar archive.');
}

/** Cuts a stream into pieces of given lengths. */
class Reader {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterator<Buffer>) {
    this.#pieces = pieces;
  }

  /** Null at the end; throws if it ends within. */
  async take(length: number): Promise<Buffer | null> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0; ) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#pieces.next();
        if (done && left === length) return null;
        if (done) throw damaged();
        this.#rest = value;
        continue;
      }
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  /** With the padding after it. */
  async whole(size: number): Promise<Buffer> {
    const padded = await this.take(Math.ceil(size / BLOCK) * BLOCK);
    if (padded === null) throw damaged();
    return padded.subarray(0, size);
  }

  /** Goes on where it stopped when it is read again. */
  content(size: number): AsyncIterable<Buffer> {
    let left = size;
    const next = async (): Promise<IteratorResult<Buffer>> => {
      if (left === 0) return { done: true, value: undefined };
      const piece = await this.take(Math.min(left, 64 * 2 ** 10));
      if (piece === null) throw damaged();
      left -= piece.length;
      return { done: false, value: piece };
    };
    return { [Symbol.asyncIterator]: () => ({ next }) };
  }
}
