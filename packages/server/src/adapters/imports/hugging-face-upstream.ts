import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, stat, statfs, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { withTimeout } from '@bindery/concurrency';
import {
  HUGGING_FACE,
  ImportError,
  RefusedRequest,
  receive,
  UpstreamRequests,
} from '@bindery/sdk/upstream-repository';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Upstream, UpstreamAddress, UpstreamFile, UpstreamRepository } from '../../doors/upstream.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { unlessMissing } from '../../objects/missing.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { EvictingFolder } from '../evicting-folder.ts';

/** Files of a repository. */
const MAX_FILES = 100_000;
/** Bytes of one answer about a repository, which are parsed in one turn: a page of a thousand files has up to some 400,000. */
const MAX_DOCUMENT = 2 ** 19;
/** Milliseconds in which clients get an answer, and for which one about a branch holds. */
const ANSWERED_WITHIN = 8_000;
const CURRENT_FOR = 10_000;
/** Milliseconds for a list, and for a file. */
const LIST_DEADLINE = 300_000;
const FILE_DEADLINE = 6 * 3_600_000;
/** Milliseconds between two looks at a file that arrives, and how much is read at a time. */
const LOOK_EVERY = 25;
const READ_BYTES = 256 * 1_024;

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

const COMMIT = /^[0-9a-f]{40}$/;

export interface UpstreamOptions {
  endpoint: string;
  folder: string;
  /** Of everything that is kept; what was not used for the longest time goes first. */
  maxBytes: number;
  /** Bytes of the disk that stay free. */
  reserveBytes: number;
  log: Logger;
}

/** A file that arrives, once for all who read it. */
interface Arrival {
  readers: number;
  /** Whether what is in the partial file is of this transfer. */
  hasBegun: boolean;
  isVerified: boolean;
  failure: unknown;
  stopping: AbortController;
  settled: Promise<void>;
}

/** Keeps lists of files by commit and files by their hashes in a folder, which can be emptied at any time. */
export class HuggingFaceUpstream implements Upstream {
  readonly #options: UpstreamOptions;
  readonly #folder: EvictingFolder;
  readonly #requests = new UpstreamRequests({ maxDocument: MAX_DOCUMENT });
  readonly #asking = new Map<string, Promise<UpstreamRepository | null>>();
  readonly #answered = new LRUCache<string, { repository: UpstreamRepository | null } | { failure: unknown }>(
    {
      max: 1_000,
      ttl: CURRENT_FOR,
    },
  );
  readonly #open = new LRUCache<string, UpstreamRepository>({
    maxSize: 2 * MAX_FILES,
    sizeCalculation: ({ files }) => files.size + 1,
  });
  readonly #arriving = new Map<string, Arrival>();

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#folder = new EvictingFolder(options.folder, options.maxBytes);
  }

  async repository(address: UpstreamAddress): Promise<UpstreamRepository | null> {
    const { revision } = address;
    const isPinned = COMMIT.test(revision);
    const kept = await this.#kept(address, isPinned ? revision : await this.#keptCommit(address));
    if (kept !== null && isPinned) return kept;
    try {
      return (await withTimeout(this.#askOnce(address), ANSWERED_WITHIN, throwLate)) ?? kept;
    } catch (error) {
      if (kept !== null) return kept;
      this.#options.log.warn({ err: error }, 'the upstream of Hugging Face does not answer');
      throw unavailable(
        'The upstream of this service does not answer, or not in time. Try again.',
        RETRY_AFTER,
      );
    }
  }

  async *read(
    repository: UpstreamRepository,
    file: UpstreamFile,
    range: { from: number; to: number },
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    if (range.from >= range.to) return;
    const path = this.#pathOf(file);
    const found = await unlessMissing(open(path));
    if (found !== null) {
      await this.#folder.noteUse(path);
      yield* found.createReadStream({ start: range.from, end: range.to - 1, highWaterMark: READ_BYTES });
      return;
    }
    const arrival = await this.#receiveOnce(repository, file);
    try {
      yield* follow(arrival, [`${path}.partial`, path], file, range, signal);
    } catch (error) {
      if (error instanceof ImportError) throw unavailable(error.message, RETRY_AFTER);
      throw error;
    } finally {
      // What has arrived stays, for the next one who asks.
      arrival.readers -= 1;
      if (arrival.readers === 0) arrival.stopping.abort();
    }
  }

  async close(): Promise<void> {
    for (const { stopping } of this.#arriving.values()) stopping.abort();
    await Promise.all([...this.#arriving.values()].map(({ settled }) => settled));
    await this.#requests.close();
  }

  #askOnce(address: UpstreamAddress): Promise<UpstreamRepository | null> {
    const key = `${address.kind}/${address.owner}/${address.name}@${address.revision}`;
    const recent = this.#answered.get(key);
    if (recent !== undefined)
      return 'failure' in recent ? Promise.reject(recent.failure) : Promise.resolve(recent.repository);
    const running = this.#asking.get(key);
    if (running) return running;
    const asked = this.#ask(address)
      .then(
        (repository) => {
          this.#answered.set(key, { repository });
          return repository;
        },
        (failure: unknown) => {
          this.#answered.set(key, { failure });
          throw failure;
        },
      )
      .finally(() => this.#asking.delete(key));
    asked.catch(() => {});
    this.#asking.set(key, asked);
    return asked;
  }

  /** Asks for the commit first, as the list of its files is often kept. Nothing is sent that tells who asks. */
  async #ask(address: UpstreamAddress): Promise<UpstreamRepository | null> {
    const { kind, owner, name, revision } = address;
    const typed = `hf:${kind === 'datasets' ? 'datasets/' : ''}${owner}/${name}@`;
    const context = {
      ...{ requests: this.#requests, folder: this.#options.folder, maxFiles: MAX_FILES },
      ...{ environment: { HF_ENDPOINT: this.#options.endpoint }, signal: AbortSignal.timeout(LIST_DEADLINE) },
    };
    try {
      const tree = await HUGGING_FACE.parse(typed + revision)?.open(context);
      const repository = tree && (await repositoryOf(address, tree));
      if (!repository) return null;
      await this.#keep(repository, revision);
      return repository;
    } catch (error) {
      if (error instanceof RefusedRequest && [401, 403, 404].includes(error.status)) return null;
      throw error;
    }
  }

  async #keep(repository: UpstreamRepository, revision: string): Promise<void> {
    const { license, files } = repository;
    const lines = [JSON.stringify({ license })];
    for (const { path, size, digest } of files.values()) {
      if (turnIsOver()) await nextTurn();
      lines.push(JSON.stringify([path, size, digest.algorithm, digest.hex]));
    }
    const listing = this.#folder.pathOf('lists', nameOf(repository, repository.commit));
    await writeWhole(listing, lines.join('\n'));
    await writeWhole(this.#folder.pathOf('revisions', nameOf(repository, revision)), repository.commit);
    await this.#folder.noteWritten((await stat(listing)).size);
  }

  async #keptCommit(address: UpstreamAddress): Promise<string | null> {
    const path = this.#folder.pathOf('revisions', nameOf(address, address.revision));
    return unlessMissing(readFile(path, 'utf8'));
  }

  async #kept(address: UpstreamAddress, commit: string | null): Promise<UpstreamRepository | null> {
    if (commit === null) return null;
    const name = nameOf(address, commit);
    const known = this.#open.get(name);
    if (known) return known;
    const path = this.#folder.pathOf('lists', name);
    if ((await unlessMissing(stat(path))) === null) return null;
    await this.#folder.noteUse(path);
    const files = new Map<string, UpstreamFile>();
    let license: string | null | undefined;
    for await (const line of createInterface(createReadStream(path))) {
      const entry = JSON.parse(line);
      if (license === undefined) license = entry.license;
      else {
        const [file, size, algorithm, hex] = entry;
        files.set(file, { path: file, size, digest: { algorithm, hex } });
      }
    }
    const { kind, owner, name: repositoryName } = address;
    const repository = { kind, owner, name: repositoryName, commit, license: license ?? null, files };
    this.#open.set(name, repository);
    return repository;
  }

  /** Returns the one transfer of a file, which the caller reads. */
  async #receiveOnce(repository: UpstreamRepository, file: UpstreamFile): Promise<Arrival> {
    for (;;) {
      const arriving = this.#arriving.get(file.digest.hex);
      if (arriving === undefined) break;
      if (!arriving.stopping.signal.aborted) {
        arriving.readers += 1;
        return arriving;
      }
      // Two must not write one file.
      await arriving.settled;
    }
    const stopping = new AbortController();
    const arrival: Arrival = {
      ...{ readers: 1, hasBegun: false, isVerified: false, failure: undefined, stopping },
      settled: Promise.resolve(),
    };
    this.#arriving.set(file.digest.hex, arrival);
    arrival.settled = this.#receive(repository, file, arrival)
      .catch((error: unknown) => {
        arrival.failure = error;
      })
      .finally(() => this.#arriving.delete(file.digest.hex));
    return arrival;
  }

  async #receive(repository: UpstreamRepository, file: UpstreamFile, arrival: Arrival): Promise<void> {
    const path = this.#pathOf(file);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(dirname(path));
    if (bavail * bsize - file.size < this.#options.reserveBytes || file.size > this.#options.maxBytes)
      throw new ServiceError('storage_full', 'This service has no room for the file.');
    const url = addressOf(this.#options.endpoint, repository, file.path);
    const source = {
      open: async (_: unknown, at: number, signal: AbortSignal) => {
        const opened = await this.#requests.open(url, at, { signal });
        return { from: opened.from, bytes: begun(opened.bytes, arrival) };
      },
    };
    const signal = AbortSignal.any([arrival.stopping.signal, AbortSignal.timeout(FILE_DEADLINE)]);
    await receive(source, { ...file, url, version: file.digest.hex }, `${path}.partial`, signal);
    await rename(`${path}.partial`, path);
    arrival.isVerified = true;
    await this.#folder.noteWritten(file.size);
  }

  #pathOf({ digest: { algorithm, hex } }: UpstreamFile): string {
    return this.#folder.pathOf(`files/${hex.slice(0, 2)}`, `${algorithm}-${hex}`);
  }
}

/** Says when the first bytes are about to be written, as those of an earlier transfer may be removed before. */
async function* begun(bytes: AsyncIterable<Uint8Array>, arrival: Arrival): AsyncGenerator<Uint8Array> {
  arrival.hasBegun = true;
  yield* bytes;
}

/** Reads a file while it arrives. Its last byte comes once all is verified, and so does a part that ends before it. */
async function* follow(
  arrival: Arrival,
  places: readonly string[],
  { size }: UpstreamFile,
  { from, to }: { from: number; to: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let handle: FileHandle | undefined;
  try {
    for (let at = from; at < to; ) {
      signal.throwIfAborted();
      if (arrival.failure !== undefined) throw arrival.failure;
      const { isVerified } = arrival;
      if (isVerified || (arrival.hasBegun && to === size)) {
        handle ??= await openFirst(places);
        const arrived = isVerified ? size : Math.min((await handle.stat()).size, size - 1);
        while (at < Math.min(to, arrived)) {
          const length = Math.min(READ_BYTES, Math.min(to, arrived) - at);
          const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, at);
          if (bytesRead === 0) throw new Error('a file that arrived from upstream was deleted meanwhile');
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      }
      if (at < to) await Promise.race([arrival.settled, wait(LOOK_EVERY)]);
    }
  } finally {
    await handle?.close();
  }
}

async function openFirst(places: readonly string[]): Promise<FileHandle> {
  for (const place of places) {
    const handle = await unlessMissing(open(place));
    if (handle !== null) return handle;
  }
  throw new Error('a file that arrived from upstream was deleted meanwhile');
}

interface Listed {
  revision: string | null;
  library: { license?: string | null | undefined };
  files: readonly { path: string; size: number | null; digest: UpstreamFile['digest'] | null }[];
}

/** Throws `ImportError` for a list that cannot be true. */
async function repositoryOf(
  { kind, owner, name }: UpstreamAddress,
  { revision, library, files: listed }: Listed,
): Promise<UpstreamRepository> {
  const files = new Map<string, UpstreamFile>();
  for (const { path, size, digest } of listed) {
    if (turnIsOver()) await nextTurn();
    const isSound =
      digest !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(digest.hex) && Number.isSafeInteger(size);
    if (!isSound || (size ?? -1) < 0)
      throw new ImportError(
        'source_refused',
        `The upstream lists ${JSON.stringify(path)} without size and hash.`,
      );
    files.set(path, { path, size: size ?? 0, digest });
  }
  if (!COMMIT.test(revision ?? ''))
    throw new ImportError('source_refused', 'The upstream names no commit of the repository.');
  return { kind, owner, name, commit: revision ?? '', license: library.license ?? null, files };
}

function addressOf(
  endpoint: string,
  { kind, owner, name, commit }: UpstreamRepository,
  path: string,
): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${endpoint}/${kind === 'datasets' ? 'datasets/' : ''}${owner}/${name}/resolve/${commit}/${encoded}`;
}

function nameOf({ kind, owner, name }: Omit<UpstreamAddress, 'revision'>, revision: string): string {
  return createHash('sha256').update(`${kind}/${owner}/${name}@${revision}`).digest('hex');
}

async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.hrtime.bigint()}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

function throwLate(): never {
  throw new Error('it did not answer in time');
}
