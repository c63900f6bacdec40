import { createHash, randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { BoundedQueue, KeyedMutex, WorkerPool } from '@bindery/concurrency';
import { CommitFile } from '../../doors/git/commit-file.ts';
import type { CommitSource, GitCommits, GitObject, GitObjects } from '../../doors/git/commits.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { ObjectDamaged } from '../../objects/damaged.ts';
import { unlessMissing } from '../../objects/missing.ts';
import type { ObjectStore } from '../../objects/store.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type Contents, HASH_BYTES } from '../../revision/file-closure.ts';
import { decodeSections } from '../../revision/sections.ts';
import { EvictingFolder } from '../evicting-folder.ts';
import type { CommitTask, Comparison, Named } from './commit-worker.ts';
import { prepareNames } from './names-file.ts';

/** Changes with the form of the commits or of the files. */
const VERSION = 1;

/** How many libraries are read at a time, and how many can wait. */
const LIBRARIES = { concurrency: 2, maxWaiting: 100 };

/** The most files and bytes that a worker reads at once, unless it is one file. */
const BATCH = { files: 500, bytes: 64 * 2 ** 20 };

const HOUR = 3_600_000;
/** Milliseconds for which a request waits for commits that are being made: less than proxies do. */
const PATIENCE = 40_000;
/** Seconds after which a client may retry. */
const RETRY_AFTER = 30;

interface Parts {
  folder: string;
  maxBytes: number;
  objects: Pick<ObjectStore, 'localFile'>;
}

/**
 * Keeps commits in folders `<storeId>`: each a file `<key>-<commit>`, and the names of all contents that were read, so
 * that the next revision costs what is new in it.
 */
export class DiskGitCommits implements GitCommits {
  readonly #folder: EvictingFolder;
  readonly #objects: Parts['objects'];
  readonly #libraries = new BoundedQueue(LIBRARIES);
  readonly #stores = new KeyedMutex();
  readonly #making = new Map<string, Promise<string[]>>();
  readonly #workers = new WorkerPool({
    entry: new URL('./commit-worker.ts', import.meta.url),
    maxWorkers: 2,
    maxWaiting: 200,
    timeout: HOUR,
    idleTimeout: 5_000,
    heapMegabytes: 1_024,
  });

  constructor({ folder, maxBytes, objects }: Parts) {
    this.#folder = new EvictingFolder(folder, maxBytes);
    this.#objects = objects;
  }

  async commitsOf(storeId: string, revisions: readonly CommitSource[]): Promise<string[]> {
    const kept = await this.#kept(storeId);
    const found = revisions.map((revision) => kept.get(keyOf(revision)));
    if (found.every((commit) => commit !== undefined)) return found;
    const key = [storeId, ...revisions.map(keyOf)].join(' ');
    const running = this.#making.get(key) ?? this.#make(storeId, revisions);
    if (!this.#making.has(key)) {
      this.#making.set(key, running);
      const forget = () => this.#making.delete(key);
      running.then(forget, forget);
    }
    const late = new AbortController();
    try {
      return await Promise.race([running, wait(PATIENCE, null, { signal: late.signal }).then(unready)]);
    } finally {
      late.abort();
    }
  }

  async known(storeId: string, commits: Iterable<string>): Promise<string[]> {
    const kept = new Set((await this.#kept(storeId)).values());
    return [...new Set(commits)].filter((commit) => kept.has(commit));
  }

  async difference(storeId: string, wanted: readonly string[], had: readonly string[]): Promise<GitObjects> {
    const kept = await this.#kept(storeId);
    const files = new Map(
      [...kept].map(([key, commit]) => [commit, this.#folder.pathOf(storeId, `${key}-${commit}`)]),
    );
    const filesOf = (commits: readonly string[]) => commits.flatMap((commit) => files.get(commit) ?? []);
    const [wantedFiles, hadFiles] = [filesOf(wanted), filesOf(had)];
    for (const file of [...wantedFiles, ...hadFiles]) await this.#folder.noteUse(file);
    const { picks, ...sums } = await this.#run<Comparison>({
      kind: 'compare',
      wanted: wantedFiles,
      had: hadFiles,
    });
    const open = async (file: string) => new CommitFile(decodeSections(await readFile(file)));
    const [first] = wantedFiles;
    const leftOut = first === undefined ? [] : (await open(first)).leftOut;
    return { ...sums, leftOut, read };

    async function* read(): AsyncGenerator<GitObject> {
      for (const [at, file] of wantedFiles.entries()) {
        const { commit, trees, blobs } = picks[at] as Comparison['picks'][number];
        if (!commit && trees.length + blobs.length === 0) continue;
        const opened = await open(file);
        if (commit) yield { kind: 'commit', bytes: opened.commit };
        for (const place of trees) yield { kind: 'tree', bytes: opened.tree(place) };
        for (const place of blobs) yield { kind: 'blob', ...opened.blob(place) };
      }
    }
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#folder.deleteStore(storeId);
  }

  async close(): Promise<void> {
    this.#libraries.close();
    await this.#workers.close();
    await Promise.allSettled(this.#making.values());
  }

  /** Returns the names of the commits that are kept, by their keys. */
  async #kept(storeId: string): Promise<Map<string, string>> {
    const names = (await unlessMissing(readdir(this.#folder.pathOf(storeId, '')))) ?? [];
    return new Map(names.map((name) => name.split('-')).filter(isPair));
  }

  #make(storeId: string, revisions: readonly CommitSource[]): Promise<string[]> {
    const all = async () => {
      const commits: string[] = [];
      for (const revision of revisions) {
        const kept = (await this.#kept(storeId)).get(keyOf(revision));
        commits.push(kept ?? (await this.#makeCommit(storeId, revision)));
      }
      return commits;
    };
    return this.#libraries.run(() => this.#stores.run(storeId, all)).catch(asBusy);
  }

  async #makeCommit(storeId: string, revision: CommitSource): Promise<string> {
    const indexFile = await this.#objects.localFile({ storeId, sha256: await revision.index() });
    const namesFile = this.#folder.pathOf(storeId, 'names');
    const draft = await this.#folder.createDraft(randomUUID());
    try {
      await mkdir(dirname(namesFile), { recursive: true, mode: 0o700 });
      await prepareNames(namesFile);
      await this.#nameContents(storeId, { indexFile, namesFile });
      const commitFile = join(draft, 'commit');
      const task = { kind: 'write', indexFile, namesFile, text: revision.text, commitFile } as const;
      const commit = await this.#run<string>(task);
      const { size } = await stat(commitFile);
      await rename(commitFile, this.#folder.pathOf(storeId, `${keyOf(revision)}-${commit}`));
      await this.#folder.noteWritten(size);
      return commit;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  /** Reads what is new in a revision, and adds the names to the file, so that nothing is read again if it is cut off. */
  async #nameContents(
    storeId: string,
    { indexFile, namesFile }: { indexFile: string; namesFile: string },
  ): Promise<void> {
    const { hashes, sizes } = await this.#run<Contents>({ kind: 'survey', indexFile, namesFile });
    const contents = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
    let batch: { file: string; sha256: string; size: number }[] = [];
    let bytes = 0;
    const finish = async () => {
      const { records, lost } = await this.#run<Named>({ kind: 'name', files: batch });
      await appendFile(namesFile, records);
      await this.#folder.noteWritten(records.length);
      if (lost[0] !== undefined) throw new ObjectDamaged({ storeId, sha256: lost[0] });
      [batch, bytes] = [[], 0];
    };
    for (const [at, size] of sizes.entries()) {
      if (batch.length === BATCH.files || (batch.length > 0 && bytes + size > BATCH.bytes)) await finish();
      const sha256 = contents.toString('hex', at * HASH_BYTES, (at + 1) * HASH_BYTES);
      batch.push({ file: await this.#objects.localFile({ storeId, sha256 }), sha256, size });
      bytes += size;
      if (turnIsOver()) await nextTurn();
    }
    if (batch.length > 0) await finish();
  }

  #run<Answer>(task: CommitTask): Promise<Answer> {
    return this.#workers.run<Answer>(task).catch(asBusy);
  }
}

function keyOf({ manifestSha256, text }: CommitSource): string {
  const parts = JSON.stringify([VERSION, manifestSha256, text.date, text.message]);
  return createHash('sha256').update(parts).digest('hex').slice(0, 40);
}

function isPair(parts: string[]): parts is [string, string] {
  return parts.length === 2;
}

function unready(): never {
  throw unavailable(
    'The files of this library are being read for git, which is done once. Try again in a minute.',
    RETRY_AFTER,
  );
}

function asBusy(error: unknown): never {
  throw refusalOf(error, {
    busy: unavailable('The service is busy. Try again.', RETRY_AFTER),
    memory: new ServiceError(
      'payload_too_large',
      'That is too much at once. Clone one release: --branch <release> --single-branch.',
    ),
  });
}
