import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline as connect, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type UnzipFileFilter, type Unzipped, unzip } from 'fflate';
import { writeFileAtomically } from '../tree/files.ts';
import { readTar } from './tar.ts';
import { refuseTooMany, type UpstreamFile, wrong } from './upstream.ts';

/** Bytes of all that comes out of an archive. */
const MAX_UNPACKED = 2 * 2 ** 30;

/** What came out of an archive. */
export interface Unpacked {
  files: { path: string; size: number }[];
  /** What did not, with the reason. */
  leftOut: { path: string; reason: string }[];
}

interface Entry {
  path: string;
  size: number;
}

/** Decides, before anything is unpacked, where each file goes: null for nowhere. Throws for what must not be there. */
type Choose = (entries: readonly Entry[]) => Pick<Unpacked, 'leftOut'> & {
  target(path: string): string | null;
};

/**
 * Unpacks an archive. One that git made, as hosts of repositories offer them, is without the folder that git puts all into,
 * as its name is of a moment. Throws `ImportError`.
 */
export async function unpack(file: UpstreamFile, archive: string, choose: Choose): Promise<Unpacked> {
  return file.archive === 'tar' ? unpackTar(file, archive, choose) : unpackZip(file, archive, choose);
}

async function unpackZip(file: UpstreamFile, archive: string, choose: Choose): Promise<Unpacked> {
  const entries = new Map<string, number>();
  let total = 0;
  const packed = await readFile(archive);
  // The first look only lists what is there, as nothing is unpacked that is too much.
  await unzipped(file, packed, ({ name, originalSize }) => {
    total += originalSize;
    if (!name.endsWith('/')) entries.set(name, originalSize);
    return false;
  });
  const outer = /^[0-9a-f]{40}$/.test(packed.subarray(-40).toString('latin1')) ? commonFolder(entries) : '';
  const listed = [...entries].map(([path, size]) => ({ path: path.slice(outer.length), size }));
  refuseTooMany(listed.length);
  refuseTooMuch(file, total);
  const { leftOut, target } = choose(listed);
  const contents = await unzipped(file, packed, ({ name }) => target(name.slice(outer.length)) !== null);
  const files = Object.entries(contents).map(([name, bytes]) => {
    const path = name.slice(outer.length);
    const place = target(path) as string;
    mkdirSync(dirname(place), { recursive: true });
    writeFileAtomically(place, bytes);
    return { path, size: bytes.length };
  });
  return { files, leftOut };
}

function unzipped(file: UpstreamFile, packed: Uint8Array, filter: UnzipFileFilter): Promise<Unzipped> {
  return new Promise((resolve, reject) => {
    unzip(packed, { filter }, (error, contents) => {
      if (error) reject(wrong(file, `is a damaged archive: ${error.message}`));
      else resolve(contents);
    });
  });
}

async function unpackTar(file: UpstreamFile, archive: string, choose: Choose): Promise<Unpacked> {
  const entries = new Map<string, number>();
  const links: Unpacked['leftOut'] = [];
  let isGits = false;
  let total = 0;
  const entriesOf = () => readTar(openTar(file, archive));
  try {
    for await (const { path, size, kind } of entriesOf()) {
      total += size;
      refuseTooMuch(file, total);
      if (kind === 'file') entries.set(path, size);
      else if (kind === 'commit') isGits = true;
      else links.push({ path, reason: kind });
      refuseTooMany(entries.size + links.length);
    }
    const outer = isGits ? commonFolder(entries) : '';
    const { leftOut, target } = choose(
      [...entries].map(([path, size]) => ({ path: path.slice(outer.length), size })),
    );
    const files = new Map<string, number>();
    for await (const { path: name, size, kind, content } of entriesOf()) {
      const path = name.slice(outer.length);
      const place = kind === 'file' ? target(path) : null;
      if (place === null) continue;
      mkdirSync(dirname(place), { recursive: true });
      await pipeline(Readable.from(content), createWriteStream(place));
      files.set(path, size);
    }
    return {
      files: [...files].map(([path, size]) => ({ path, size })),
      leftOut: [...links.map(({ path, reason }) => ({ path: path.slice(outer.length), reason })), ...leftOut],
    };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw code.startsWith('Z_') ? wrong(file, 'is a damaged archive') : error;
  }
}

/** Reads an archive that may be compressed by gzip. */
async function* openTar(file: UpstreamFile, archive: string): AsyncGenerator<Buffer> {
  const first = Buffer.alloc(2);
  await using handle = await open(archive);
  await handle.read(first, 0, 2, 0);
  const raw = createReadStream(archive);
  const bytes = first.readUInt16BE() === 0x1f8b ? connect(raw, createGunzip(), () => {}) : raw;
  let total = 0;
  for await (const piece of bytes as AsyncIterable<Buffer>) {
    total += piece.length;
    refuseTooMuch(file, total);
    yield piece;
  }
}

function refuseTooMuch(file: UpstreamFile, bytes: number): void {
  if (bytes > MAX_UNPACKED) throw wrong(file, 'is an archive of more than 2 GiB');
}

/** The folder, with its slash, that everything is in; empty if there is none. */
function commonFolder(entries: ReadonlyMap<string, unknown>): string {
  const [first = ''] = entries.keys();
  const folder = first.slice(0, first.indexOf('/') + 1);
  return [...entries.keys()].every((path) => path.startsWith(folder)) ? folder : '';
}
