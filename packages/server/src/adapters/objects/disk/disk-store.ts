import fs from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { ObjectResponses } from '../../../context.ts';
import { ObjectDamaged } from '../../../objects/damaged.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type {
  AnnouncedUpload,
  ConfirmDeletion,
  Draft,
  ListedObject,
  MultipartUpload,
  ObjectAddress,
  ObjectStore,
  PresignedRequest,
  Reclaimed,
  StoredObject,
  StoredPart,
} from '../../../objects/store.ts';
import type { Contents } from '../../../revision/file-closure.ts';
import { makeFolder, readVerified, stat } from '../files.ts';
import { receiveBundle } from '../http/bundle.ts';
import { PresignedUrls } from '../http/presigned-urls.ts';
import { createObjectResponses, type StorageOptions } from '../http/serve.ts';
import { Deletions } from './deletions.ts';
import { DiskSpace } from './disk-space.ts';
import { type DiskThreads, DiskWorkers } from './disk-workers.ts';
import { Layout } from './layout.ts';
import { deleteFolder, MultipartUploads } from './multipart.ts';
import { OwnObjects, Promoter } from './promotion.ts';
import { receiveFile, receivePart, StagingBatches } from './receive.ts';
import { download, ReadAhead, sendBundle } from './send.ts';
import { Staging } from './staging.ts';

/** Objects whose sizes a worker looks up in one task, which takes a fraction of a second. */
const MEASURED_AT_ONCE = 10_000;
const HASH_BYTES = 32;

export interface DiskStoreOptions extends StorageOptions {
  folder: string;
  /** The id in the folder's mark, which is checked before anything is stored; null if it has none. */
  mark?: string | null;
  /** Bytes that all responses together can read ahead of their clients. */
  readAheadBytes: number;
  /** Called for an object whose bytes could not be read while it was sent. */
  reportDamaged: (object: ObjectAddress) => void;
  /** Bytes of the disk that uploads leave free. */
  reserveBytes: number;
  /** True in the one process that serves the store: it cleans up what an earlier process left unfinished. */
  owner: boolean;
  /** Shared with other stores; if omitted, the store creates its own. */
  threads?: DiskThreads | undefined;
}

/** Opens the object store in a folder, creating the folder if it does not exist. */
export async function openDiskStore(options: DiskStoreOptions): Promise<DiskStore> {
  const layout = new Layout(options.folder);
  const workers = new DiskWorkers(layout, options.threads);
  const staging = new Staging(layout, workers, options.clock);
  const worthless = options.owner ? await layout.leftovers() : [];
  for (const folder of worthless) await fs.promises.rm(folder, { recursive: true, force: true });
  for (const folder of layout.folders) await makeFolder(folder);
  return new DiskStore({ layout, workers, staging, promoter: new Promoter(layout, workers) }, options);
}

/** Returns the size in bytes of the disk that holds a store's folder, or will once it exists. */
export async function diskBytes(folder: string): Promise<number> {
  const { blocks, bsize } =
    (await unlessMissing(fs.promises.statfs(folder))) ?? (await fs.promises.statfs(dirname(folder)));
  return blocks * bsize;
}

interface OpenedParts {
  layout: Layout;
  workers: DiskWorkers;
  staging: Staging;
  promoter: Promoter;
}

/** Stores objects as files in one folder; see `Layout` for the paths. */
export class DiskStore implements ObjectStore {
  readonly hasStaging = true;
  readonly verification = null;
  readonly responses: ObjectResponses;
  readonly #layout: Layout;
  readonly #workers: DiskWorkers;
  readonly #staging: Staging;
  readonly #promoter: Promoter;
  readonly #own: OwnObjects;
  readonly #multipart: MultipartUploads;
  readonly #deletions: Deletions;
  readonly #space: DiskSpace;
  readonly #urls: PresignedUrls;
  readonly #publicUrl: () => string;

  constructor(opened: OpenedParts, options: DiskStoreOptions) {
    const { layout, workers, staging, promoter } = opened;
    const { secret, clock, publicUrl, log, intake, reserveBytes } = options;
    this.#layout = layout;
    this.#workers = workers;
    this.#staging = staging;
    this.#promoter = promoter;
    this.#own = new OwnObjects(layout, promoter);
    this.#multipart = new MultipartUploads(layout, staging);
    this.#deletions = new Deletions(layout);
    this.#space = new DiskSpace({
      folder: layout.root,
      mark: options.mark ?? null,
      reserve: reserveBytes,
      log,
    });
    this.#urls = new PresignedUrls(secret, clock);
    this.#publicUrl = publicUrl;
    const parts = {
      layout,
      staging,
      multipart: this.#multipart,
      space: this.#space,
      urls: this.#urls,
      isLost: options.isLost,
      reportDamaged: options.reportDamaged,
      readAhead: new ReadAhead(options.readAheadBytes),
      intake,
      log,
    };
    this.responses = createObjectResponses({
      urls: this.#urls,
      admit: options.admit,
      log,
      sendBundle: (...exchange) => reportingDamage(options, sendBundle(parts, ...exchange)),
      receiveBundle: (...exchange) => receiveBundle(parts.urls, new StagingBatches(parts), ...exchange),
      download: (...exchange) => reportingDamage(options, download(parts, ...exchange)),
      receiveFile: (...exchange) => receiveFile(parts, ...exchange),
      receivePart: (...exchange) => receivePart(parts, ...exchange),
    });
  }

  async check(): Promise<string | null> {
    const refusal = await this.#space.refusal();
    await fs.promises.access(this.#layout.temporary, fs.constants.W_OK);
    return refusal;
  }

  space(): Promise<{ total: number; free: number; reserve: number }> {
    return this.#space.report();
  }

  requireRoom(bytes: number): Promise<void> {
    return this.#space.require(bytes);
  }

  presignGet(object: ObjectAddress, fileName: string, ttlSeconds: number): string {
    return this.#publicUrl() + this.#urls.get(object, fileName, ttlSeconds);
  }

  presignPut(upload: AnnouncedUpload, ttlSeconds: number): PresignedRequest {
    return { url: this.#publicUrl() + this.#urls.put(upload, ttlSeconds), headers: {} };
  }

  /** All uploads go through the service. */
  acceptsDirectUpload(): boolean {
    return false;
  }

  async collectDirectUploads(): Promise<never[]> {
    return [];
  }

  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest {
    return { url: this.#publicUrl() + this.#urls.part(upload, partNumber, ttlSeconds), headers: {} };
  }

  beginMultipart(upload: MultipartUpload): Promise<void> {
    return this.#multipart.begin(upload);
  }

  storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    return this.#multipart.storedParts(upload);
  }

  completeMultipart(upload: MultipartUpload): Promise<StoredObject> {
    return this.#multipart.complete(upload);
  }

  abortMultipart(upload: MultipartUpload): Promise<void> {
    return this.#multipart.abort(upload);
  }

  async size(object: ObjectAddress): Promise<number | null> {
    const stats = await unlessMissing(stat(this.#layout.object(object)));
    return stats?.size ?? null;
  }

  async findAbsent(storeId: string, { hashes, sizes }: Contents): Promise<number[]> {
    const absent: number[] = [];
    for (let start = 0; start < sizes.length; start += MEASURED_AT_ONCE) {
      const end = start + MEASURED_AT_ONCE;
      const some = {
        hashes: hashes.subarray(start * HASH_BYTES, end * HASH_BYTES),
        sizes: sizes.subarray(start, end),
      };
      for (const place of await this.#workers.findAbsent({ storeId, ...some })) absent.push(start + place);
    }
    return absent;
  }

  async findIntact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    return new Set(await this.#workers.read({ storeId, objects }));
  }

  findStaged(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>> {
    return this.#staging.renew(storeId, uploads);
  }

  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    return this.#promoter.promote(storeId, uploads);
  }

  write(storeId: string, bytes: Uint8Array): Promise<StoredObject> {
    return this.#own.write(storeId, bytes);
  }

  createDraft(storeId: string): Promise<Draft> {
    return this.#own.createDraft(storeId);
  }

  read(object: ObjectAddress): Promise<Buffer> {
    return readVerified(this.#layout.object(object), object);
  }

  stream(object: ObjectAddress, range?: { start: number; end: number }): Readable {
    return fs.createReadStream(this.#layout.object(object), { ...range, highWaterMark: 512 * 1024 });
  }

  async localFile(object: ObjectAddress): Promise<string> {
    const path = this.#layout.object(object);
    if (await unlessMissing(stat(path))) return path;
    const staged = await this.#staging.find(object.storeId, object.sha256);
    return staged?.path ?? path;
  }

  async *list(storeId: string): AsyncIterable<ListedObject> {
    const store = this.#layout.storeOf('objects', storeId);
    for (const shard of (await unlessMissing(fs.promises.readdir(store))) ?? []) {
      for (const sha256 of (await unlessMissing(fs.promises.readdir(`${store}/${shard}`))) ?? []) {
        const stats = await unlessMissing(stat(`${store}/${shard}/${sha256}`));
        if (stats) yield { sha256, size: stats.size, storedAt: Math.ceil(stats.mtimeMs) };
      }
    }
  }

  delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed> {
    return this.#deletions.delete(storeId, hashes, confirm);
  }

  restoreInterrupted(isDoomed: (object: ObjectAddress) => Promise<boolean>): Promise<void> {
    return this.#deletions.restoreInterrupted(isDoomed);
  }

  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const uploads = await this.#staging.deleteAbandoned(before);
    const parts = await this.#multipart.deleteAbandoned(before);
    return { objects: uploads.objects + parts.objects, bytes: uploads.bytes + parts.bytes };
  }

  async unregisteredBytes(storeId: string): Promise<number> {
    return (await this.#staging.bytes(storeId)) + (await this.#multipart.bytes(storeId));
  }

  async deleteStore(storeId: string): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for await (const { size } of this.list(storeId)) {
      freed.objects += 1;
      freed.bytes += size;
    }
    for (const area of ['objects', 'incoming', 'parts', 'withdrawn'] as const) {
      await deleteFolder(this.#layout, this.#layout.storeOf(area, storeId));
    }
    return freed;
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}

async function reportingDamage(
  { reportDamaged }: Pick<DiskStoreOptions, 'reportDamaged'>,
  answer: Promise<void>,
): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof ObjectDamaged) reportDamaged(error.object);
    throw error;
  }
}
