import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerFailure, WorkerPool } from '@bindery/concurrency';
import type { Logger } from 'pino';
import { unlessLost } from '../../objects/damaged.ts';
import type { ObjectStore } from '../../objects/store.ts';
import {
  type DescriptionFile,
  keyOf,
  type RevisionKey,
  SegmentIndex,
} from '../../search/segments/segment-index.ts';
import type { FoundMember, JoinedRevision, MemberVectors, Segments } from '../../search/segments/segments.ts';
import type { SegmentOutcome, SegmentTask } from '../workers/segment-worker.ts';
import { DiskSegmentVectors, type OpenPart, placesIn, VECTORS } from './disk-segment-vectors.ts';

/** What an asset with ordinary texts takes of the memory, as long as nothing else is known. */
const BYTES_PER_ASSET = 600;

/** The segment, named by its SHA-256, and beside it what is shown of its documents. */
const SEGMENT = '.segment';
const DESCRIPTIONS = '.descriptions';

interface OpenSegment {
  segment: SegmentIndex;
  name: string;
  descriptions: FileHandle;
  parts: readonly OpenPart[];
}

/** Segments in a folder of their own. */
export class DiskSegments implements Segments {
  isWanted = true;
  readonly opened: Promise<void>;
  readonly #folder: string;
  readonly #capacity: number;
  readonly #objects: Pick<ObjectStore, 'localFile'>;
  readonly #log: Logger;
  readonly #worker: WorkerPool;
  readonly #vectors: DiskSegmentVectors;
  #open: readonly OpenSegment[] = [];
  /** By the keys of their revisions. */
  #members: ReadonlyMap<string, FoundMember> = new Map();

  /** @param capacity the memory for segments, in bytes */
  constructor(
    folder: string,
    { capacity, objects, log }: { capacity: number; objects: Pick<ObjectStore, 'localFile'>; log: Logger },
  ) {
    this.#folder = folder;
    this.#capacity = capacity;
    this.#objects = objects;
    this.#log = log;
    this.#vectors = new DiskSegmentVectors(folder, { objects, log });
    this.#worker = new WorkerPool({
      entry: new URL('../workers/segment-worker.ts', import.meta.url),
      maxWorkers: 1,
      maxWaiting: 1,
      idleTimeout: 0,
      heapMegabytes: 768,
    });
    this.opened = this.#openAll();
  }

  list(): readonly SegmentIndex[] {
    return this.#open.map(({ segment }) => segment);
  }

  find(revision: RevisionKey): FoundMember | null {
    return this.#members.get(keyOf(revision)) ?? null;
  }

  hasRoom(assets: number): boolean {
    const bytes = this.#open.reduce((sum, { segment }) => sum + segment.byteLength, 0);
    const known = this.#open.reduce((sum, { segment }) => sum + segment.assetCount, 0);
    const each = known > 0 ? bytes / known : BYTES_PER_ASSET;
    return bytes + assets * each <= this.#capacity;
  }

  async join(revisions: readonly JoinedRevision[]): Promise<RevisionKey[]> {
    await mkdir(this.#folder, { recursive: true });
    const draft = join(this.#folder, `draft-${randomUUID()}`);
    const found: SegmentTask['revisions'][number][] = [];
    for (const revision of revisions)
      found.push({ ...revision, file: (await unlessLost(this.#fileOf(revision))) ?? '' });
    const task: SegmentTask = {
      revisions: found,
      segmentFile: draft + SEGMENT,
      descriptionFile: draft + DESCRIPTIONS,
    };
    const { sha256, unreadable } = await this.#run(task);
    if (sha256 === null) return unreadable;
    await rename(draft + DESCRIPTIONS, join(this.#folder, sha256 + DESCRIPTIONS));
    await rename(draft + SEGMENT, join(this.#folder, sha256 + SEGMENT));
    this.#set([...this.#open, await this.#openOne(sha256, [])]);
    return unreadable;
  }

  async joinVectors(segment: SegmentIndex, members: readonly MemberVectors[]): Promise<void> {
    const before = this.#open.find((one) => one.segment === segment);
    if (before === undefined) return;
    const parts = await this.#vectors.join(before.name, members, before.parts);
    this.#set(this.#open.map((one) => (one === before ? { ...before, parts } : one)));
    for (const part of before.parts) if (!parts.includes(part)) await this.#vectors.delete(part);
  }

  async remove(segment: SegmentIndex): Promise<void> {
    const removed = this.#open.find((one) => one.segment === segment);
    if (removed === undefined) return;
    this.#set(this.#open.filter((one) => one !== removed));
    await removed.descriptions.close();
    await this.#delete(removed.name);
  }

  async close(): Promise<void> {
    await this.opened;
    await Promise.all([this.#worker.close(), this.#vectors.close()]);
    await Promise.all(this.#open.map(({ descriptions }) => descriptions.close()));
    this.#set([]);
  }

  async #run(task: SegmentTask): Promise<SegmentOutcome> {
    try {
      return await this.#worker.run<SegmentOutcome>(task);
    } catch (error) {
      if (!(error instanceof WorkerFailure) || error.reason === 'closed') throw error;
      this.#log.warn(
        { err: error, libraries: task.revisions.length },
        'libraries cannot be joined to search',
      );
      return { sha256: null, unreadable: [...task.revisions] };
    }
  }

  #fileOf({ storeId, indexSha256 }: RevisionKey): Promise<string> {
    return this.#objects.localFile({ storeId, sha256: indexSha256 });
  }

  #set(open: readonly OpenSegment[]): void {
    this.#open = open;
    this.#members = new Map(
      open.flatMap(({ segment, parts }) => {
        const places = placesIn(parts);
        return segment.members.map((member): [string, FoundMember] => [
          keyOf(member),
          { segment, member, joined: places.get(member.first) ?? null },
        ]);
      }),
    );
  }

  /** What cannot be opened is deleted, since it can be made again. */
  async #openAll(): Promise<void> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const open: OpenSegment[] = [];
    for (const file of names) {
      const name = file.replace(/\.[a-z]+$/, '');
      const [segment = ''] = name.split('-');
      if (!file.endsWith(SEGMENT)) {
        const isWhole =
          names.includes(segment + SEGMENT) && (name === segment || names.includes(name + VECTORS));
        if (!isWhole) await rm(join(this.#folder, file), { force: true });
        continue;
      }
      try {
        open.push(await this.#openOne(name, names));
      } catch (error) {
        this.#log.warn({ err: error }, 'a segment is made again, since it cannot be opened');
        await this.#delete(name);
      }
    }
    this.#set([...open, ...this.#open]);
  }

  /** @param names of the files in the folder, among them those of its vectors */
  async #openOne(name: string, names: readonly string[]): Promise<OpenSegment> {
    const bytes = await readHashed(join(this.#folder, name + SEGMENT), name);
    const descriptions = await open(join(this.#folder, name + DESCRIPTIONS));
    const parts: OpenPart[] = [];
    for (const file of names) {
      if (!file.startsWith(`${name}-`) || !file.endsWith(VECTORS)) continue;
      const part = await this.#vectors.open(file.slice(0, -VECTORS.length));
      if (part) parts.push(part);
      else await this.#vectors.delete({ name: file.slice(0, -VECTORS.length) });
    }
    return { name, descriptions, parts, segment: new SegmentIndex(bytes, readerOf(descriptions)) };
  }

  /** Deletes a segment and what is beside it. */
  async #delete(name: string): Promise<void> {
    for (const file of await readdir(this.#folder))
      if (file.startsWith(name)) await rm(join(this.#folder, file), { force: true });
  }
}

function readerOf(file: FileHandle): DescriptionFile {
  return {
    async read(start, length) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start);
      return buffer.subarray(0, bytesRead);
    },
  };
}

/** Reads a file in pieces, so that its hash holds up nothing. Throws if its bytes are others. */
async function readHashed(path: string, sha256: string): Promise<Uint8Array> {
  const { size } = await stat(path);
  const bytes = Buffer.allocUnsafeSlow(size);
  const hash = createHash('sha256');
  let end = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    hash.update(piece);
    end += (piece as Buffer).copy(bytes, end);
  }
  if (hash.digest('hex') !== sha256) throw new Error(`the segment ${path} is damaged`);
  return bytes;
}
