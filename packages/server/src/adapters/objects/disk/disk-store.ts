import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type {
  AnnouncedUpload,
  Contents,
  Draft,
  MultipartUpload,
  ObjectAddress,
  ObjectStore,
  PresignedRequest,
  Reclaimed,
  StoredObject,
  StoredPart,
} from '../../../objects/store.ts';
import { Addresses } from './addresses.ts';
import { DiskSpace } from './disk-space.ts';
import { DiskThreads } from './disk-threads.ts';
import {
  close,
  digestFile,
  fdatasync,
  makeFolder,
  open,
  PRIVATE_FILE,
  readVerified,
  rename,
  stat,
  temporaryPath,
  unlink,
  withTemporaryFile,
  writeAll,
} from './files.ts';
import { Layout } from './layout.ts';
import { MultipartUploads, removeFolder } from './multipart.ts';
import type { DiskStoreOptions } from './options.ts';
import { ReadAhead } from './read-ahead.ts';
import { createServeObjects } from './serve-objects.ts';
import { WaitingRoom } from './waiting-room.ts';

const CONCURRENCY = 16;

/** Objects whose sizes a thread looks up at a time: it is done with them within a fraction of a second. */
const MEASURED_AT_ONCE = 10_000;
const HASH_BYTES = 32;

/** Opens the store of objects in a folder, making the folder where it is new. */
export async function openDiskStore(options: DiskStoreOptions): Promise<DiskStore> {
  const layout = new Layout(options.folder);
  const threads = new DiskThreads(layout);
  const waitingRoom = new WaitingRoom(layout, threads, options.clock);
  if (options.owner) await fs.promises.rm(layout.temporary, { recursive: true, force: true });
  for (const folder of layout.folders) await makeFolder(folder);
  if (options.owner) await waitingRoom.inherit();
  return new DiskStore(layout, threads, waitingRoom, options);
}

/** Bytes that the disk of a store's folder has; the folder is made where it is new. */
export async function diskBytes(folder: string): Promise<number> {
  await makeFolder(folder);
  const { blocks, bsize } = await fs.promises.statfs(folder);
  return blocks * bsize;
}

/** Objects as files of one folder; `Layout` says where everything lies. */
export class DiskStore implements ObjectStore {
  /** Answers requests for presigned addresses; false where a request is not for one. */
  readonly serveObjects: ReturnType<typeof createServeObjects>;
  readonly #layout: Layout;
  readonly #threads: DiskThreads;
  readonly #waitingRoom: WaitingRoom;
  readonly #multipart: MultipartUploads;
  readonly #space: DiskSpace;
  readonly #addresses: Addresses;
  readonly #publicUrl: () => string;

  constructor(layout: Layout, threads: DiskThreads, waitingRoom: WaitingRoom, options: DiskStoreOptions) {
    const { secret, clock, publicUrl, log, intake, reserveBytes } = options;
    this.#layout = layout;
    this.#threads = threads;
    this.#waitingRoom = waitingRoom;
    this.#multipart = new MultipartUploads(layout, waitingRoom);
    this.#space = new DiskSpace(layout.root, reserveBytes, log);
    this.#addresses = new Addresses(secret, clock);
    this.#publicUrl = publicUrl;
    this.serveObjects = createServeObjects({
      layout,
      waitingRoom,
      multipart: this.#multipart,
      space: this.#space,
      addresses: this.#addresses,
      admit: options.admit,
      isLost: options.isLost,
      readAhead: new ReadAhead(options.readAheadBytes),
      intake,
      log,
    });
  }

  async check(): Promise<string | null> {
    await fs.promises.access(this.#layout.temporary, fs.constants.W_OK);
    return this.#space.refusal();
  }

  requireRoom(bytes: number): Promise<void> {
    return this.#space.require(bytes);
  }

  presignGet(object: ObjectAddress, fileName: string, ttlSeconds: number): string {
    return this.#publicUrl() + this.#addresses.get(object, fileName, ttlSeconds);
  }

  presignPut(upload: AnnouncedUpload, ttlSeconds: number): PresignedRequest {
    return { url: this.#publicUrl() + this.#addresses.put(upload, ttlSeconds), headers: {} };
  }

  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest {
    return { url: this.#publicUrl() + this.#addresses.part(upload, partNumber, ttlSeconds), headers: {} };
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

  async absent(storeId: string, { hashes, sizes }: Contents): Promise<number[]> {
    const absent: number[] = [];
    for (let start = 0; start < sizes.length; start += MEASURED_AT_ONCE) {
      const end = start + MEASURED_AT_ONCE;
      const some = {
        hashes: hashes.slice(start * HASH_BYTES, end * HASH_BYTES),
        sizes: sizes.slice(start, end),
      };
      for (const place of await this.#threads.findAbsent({ storeId, ...some })) absent.push(start + place);
    }
    return absent;
  }

  async intact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    return new Set(await this.#threads.read({ storeId, objects }));
  }

  waiting(storeId: string, uploads: readonly StoredObject[]): Promise<Set<string>> {
    return this.#waitingRoom.renew(storeId, uploads);
  }

  promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    return this.#waitingRoom.promote(storeId, uploads);
  }

  async write(storeId: string, bytes: Uint8Array): Promise<StoredObject> {
    return withTemporaryFile(this.#layout, async (fd, path) => {
      await writeAll(fd, bytes);
      const stored = await digestFile(path);
      await this.#makeObject({ storeId, sha256: stored.sha256 }, fd, path);
      return stored;
    });
  }

  async draft(storeId: string): Promise<Draft> {
    const file = temporaryPath(this.#layout);
    await close(await open(file, 'wx', PRIVATE_FILE));
    return {
      file,
      keep: async (sha256) => {
        const fd = await open(file, 'r', 0);
        try {
          await this.#makeObject({ storeId, sha256 }, fd, file);
        } finally {
          await close(fd);
        }
      },
      [Symbol.asyncDispose]: async () => {
        await unlessMissing(unlink(file));
      },
    };
  }

  async #makeObject(object: ObjectAddress, fd: number, path: string): Promise<void> {
    const shard = this.#layout.shard(object);
    await fdatasync(fd);
    await makeFolder(shard);
    await rename(path, this.#layout.object(object));
    await this.#waitingRoom.sync([shard], object.storeId);
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
    const waiting = await this.#waitingRoom.find(object.storeId, object.sha256);
    return waiting?.path ?? path;
  }

  async *list(storeId: string): AsyncIterable<StoredObject> {
    const store = this.#layout.storeOf('objects', storeId);
    for (const shard of (await unlessMissing(fs.promises.readdir(store))) ?? []) {
      for (const sha256 of (await unlessMissing(fs.promises.readdir(`${store}/${shard}`))) ?? []) {
        const size = await this.size({ storeId, sha256 });
        if (size !== null) yield { sha256, size };
      }
    }
  }

  async remove(storeId: string, hashes: readonly string[]): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    await forEachBounded(hashes, { concurrency: CONCURRENCY }, async (sha256) => {
      const path = this.#layout.object({ storeId, sha256 });
      const stats = await unlessMissing(stat(path));
      if (!stats || (await unlessMissing(unlink(path).then(() => true))) === null) return;
      freed.objects += 1;
      freed.bytes += stats.size;
    });
    return freed;
  }

  async removeAbandoned(before: number): Promise<Reclaimed> {
    const uploads = await this.#waitingRoom.removeAbandoned(before);
    const parts = await this.#multipart.removeAbandoned(before);
    return { objects: uploads.objects + parts.objects, bytes: uploads.bytes + parts.bytes };
  }

  async unregisteredBytes(storeId: string): Promise<number> {
    return (await this.#waitingRoom.bytes(storeId)) + (await this.#multipart.bytes(storeId));
  }

  async removeStore(storeId: string): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for await (const { size } of this.list(storeId)) {
      freed.objects += 1;
      freed.bytes += size;
    }
    for (const area of ['objects', 'incoming', 'inherited', 'parts'] as const) {
      await removeFolder(this.#layout, this.#layout.storeOf(area, storeId));
    }
    return freed;
  }

  close(): Promise<void> {
    return this.#threads.close();
  }
}
