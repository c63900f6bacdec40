import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat, writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { forEachBounded } from '@bindery/concurrency';
import { BUNDLE } from '@bindery/contract';
import type { ObjectResponses } from '../../../context.ts';
import { ObjectDamaged } from '../../../objects/damaged.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import type {
  AnnouncedUpload,
  ConfirmDeletion,
  DirectUpload,
  Draft,
  ListedObject,
  MultipartUpload,
  ObjectAddress,
  ObjectStore,
  PresignedRequest,
  Reclaimed,
  StoredObject,
  StoredPart,
  Verification,
} from '../../../objects/store.ts';
import type { Contents } from '../../../revision/file-closure.ts';
import type { SignatureV4 } from '../../../signature-v4.ts';
import { digestOf, HashedContent, PRIVATE_FILE } from '../files.ts';
import { PresignedUrls } from '../http/presigned-urls.ts';
import { createObjectResponses, type StorageOptions } from '../http/serve.ts';
import { absentContents } from './absent-contents.ts';
import type { Bucket } from './bucket.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { Deletions } from './deletions.ts';
import { FileCache } from './file-cache.ts';
import { Keys } from './keys.ts';
import { MultipartUploads } from './multipart.ts';
import { DirectUploads, PresignedRequests } from './presigned-requests.ts';
import { SmallFiles } from './small-files.ts';
import { detectVerification } from './verification.ts';

/** Objects that are read and hashed at the same time. */
const CONCURRENCY = 8;
/** Bytes hashed in one turn of the event loop. */
const HASHED_AT_ONCE = 512 * 1024;
/** Milliseconds for which the result of a health check is reused. */
const CHECKED_FOR = 2_000;
const DELETED_AT_ONCE = 1_000;

export interface S3StoreOptions extends StorageOptions, Pick<ConnectOptions, 'location' | 'credentials'> {
  /** Where copies of objects are cached for workers, and the maximum size of that cache. */
  cacheFolder: string;
  cacheBytes: number;
}

/**
 * Opens the object store in a bucket and finds out what the bucket's service verifies. Throws if the bucket cannot be
 * used.
 */
export async function openS3Store(options: S3StoreOptions): Promise<S3Store> {
  const { location, clock, log } = options;
  const keys = new Keys(location.prefix);
  const { bucket, signer, close } = await connect({ location, credentials: options.credentials, log });
  try {
    const proved = await detectVerification({ location, keys, signer, clock });
    await bucket.delete(proved.keys);
    const cache = await FileCache.open(options.cacheFolder, options.cacheBytes);
    return new S3Store({ bucket, keys, signer, cache, verification: proved.verification, close }, options);
  } catch (error) {
    close();
    throw error;
  }
}

interface S3Parts {
  bucket: Bucket;
  keys: Keys;
  signer: SignatureV4;
  cache: FileCache;
  verification: Verification;
  close: () => void;
}

/**
 * Stores objects in a bucket; see `Keys` for the layout. Small files pass through the service, which verifies them;
 * others are sent directly between clients and the bucket. Verified content becomes an object at once: there is no
 * staging area.
 */
export class S3Store implements ObjectStore {
  readonly hasStaging = false;
  readonly verification: Verification;
  readonly responses: ObjectResponses;
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  readonly #cache: FileCache;
  readonly #presigned: PresignedRequests;
  readonly #directUploads: DirectUploads;
  readonly #multipart: MultipartUploads;
  readonly #deletions: Deletions;
  readonly #close: () => void;
  #checked: { at: number; answer: Promise<void> } | null = null;

  constructor({ bucket, keys, signer, cache, verification, close }: S3Parts, options: S3StoreOptions) {
    const { location, secret, clock, publicUrl, admit, log, isLost, intake } = options;
    this.#bucket = bucket;
    this.#keys = keys;
    this.#cache = cache;
    this.#close = close;
    this.verification = verification;
    this.#multipart = new MultipartUploads(bucket, keys);
    this.#deletions = new Deletions(bucket, keys, clock);
    const urls = new PresignedUrls(secret, clock);
    this.#presigned = new PresignedRequests({ location, keys, signer, verification, urls, publicUrl, clock });
    this.#directUploads = new DirectUploads({ bucket, keys, presigned: this.#presigned });
    const smallFiles = new SmallFiles({ bucket, keys, urls, intake, isLost, log });
    this.responses = createObjectResponses({ urls, admit, log, ...smallFiles.routes });
  }

  async check(): Promise<string | null> {
    if (!this.#checked || performance.now() - this.#checked.at > CHECKED_FOR) {
      this.#checked = { at: performance.now(), answer: this.#bucket.check() };
    }
    await this.#checked.answer;
    return null;
  }

  async space(): Promise<null> {
    return null;
  }

  /** Checks nothing: whether a bucket has room is known only when bytes are stored. */
  async requireRoom(): Promise<void> {}

  acceptsDirectUpload({ size }: AnnouncedUpload): boolean {
    return size > BUNDLE.fileBytes;
  }

  presignGet(object: ObjectAddress & { size?: number }, fileName: string, ttlSeconds: number): string {
    return this.#presigned.get(object, fileName, ttlSeconds);
  }

  presignPut(upload: AnnouncedUpload | DirectUpload, ttlSeconds: number): PresignedRequest {
    return this.#presigned.put(upload, ttlSeconds);
  }

  presignPart(upload: MultipartUpload, partNumber: number, ttlSeconds: number): PresignedRequest {
    return this.#presigned.part(upload, this.#multipart.idOf(upload), partNumber, ttlSeconds);
  }

  collectDirectUploads(uploads: readonly DirectUpload[]): Promise<(StoredObject | null)[]> {
    return this.#directUploads.collect(uploads);
  }

  beginMultipart(upload: MultipartUpload): Promise<void> {
    return this.#multipart.begin(upload);
  }

  storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    return this.#multipart.storedParts(upload);
  }

  completeMultipart(upload: MultipartUpload): Promise<StoredObject> {
    return this.#multipart.complete(upload, (storeId, key) =>
      this.#directUploads.admit(storeId, key, upload.sha256),
    );
  }

  abortMultipart(upload: MultipartUpload): Promise<void> {
    return this.#multipart.abort(upload);
  }

  size(object: ObjectAddress): Promise<number | null> {
    return this.#bucket.size(this.#keys.object(object));
  }

  findAbsent(storeId: string, contents: Contents): Promise<number[]> {
    return absentContents({ bucket: this.#bucket, keys: this.#keys }, storeId, contents);
  }

  async findIntact(storeId: string, objects: readonly StoredObject[]): Promise<Set<string>> {
    const intact = new Set<string>();
    await forEachBounded(objects, { concurrency: CONCURRENCY }, async ({ sha256 }) => {
      const stored = await unlessMissing(digestOf(this.stream({ storeId, sha256 })));
      if (stored?.sha256 === sha256) intact.add(sha256);
    });
    return intact;
  }

  async findStaged(): Promise<Set<string>> {
    return new Set();
  }

  async promote(storeId: string, uploads: Iterable<StoredObject>): Promise<string[]> {
    const wanted = [...uploads];
    const hashes = Buffer.from(wanted.map(({ sha256 }) => sha256).join(''), 'hex');
    const sizes = Float64Array.from(wanted, ({ size }) => size);
    const absent = await this.findAbsent(storeId, { hashes, sizes });
    return absent.map((place) => wanted[place]?.sha256 ?? '');
  }

  async write(storeId: string, bytes: Uint8Array): Promise<StoredObject> {
    const digest = createHash('sha256');
    for (let at = 0; at < bytes.length; at += HASHED_AT_ONCE) {
      digest.update(bytes.subarray(at, at + HASHED_AT_ONCE));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const sha256 = digest.digest('hex');
    const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await this.#bucket.put(this.#keys.object({ storeId, sha256 }), body.length, sha256, body);
    return { sha256, size: body.length };
  }

  async createDraft(storeId: string): Promise<Draft> {
    const file = this.#cache.temporary();
    await writeFile(file, '', { flag: 'wx', mode: PRIVATE_FILE });
    return {
      file,
      commit: async (sha256) => {
        const { size } = await stat(file);
        const object = { storeId, sha256 };
        await this.#bucket.put(this.#keys.object(object), size, sha256, (range) =>
          createReadStream(file, range),
        );
        await this.#cache.keep(object, file, size);
      },
      [Symbol.asyncDispose]: () => rm(file, { force: true }),
    };
  }

  async read(object: ObjectAddress): Promise<Buffer> {
    const hashed = new HashedContent(this.#bucket.read(this.#keys.object(object)));
    const bytes = Buffer.concat(await Array.fromAsync(hashed.chunks));
    if (hashed.finish().sha256 !== object.sha256) throw new ObjectDamaged(object);
    return bytes;
  }

  stream(object: ObjectAddress, range?: { start: number; end: number }): Readable {
    return Readable.from(this.#bucket.read(this.#keys.object(object), range), { objectMode: false });
  }

  localFile(object: ObjectAddress): Promise<string> {
    return this.#cache.get(object, () => this.#bucket.read(this.#keys.object(object)));
  }

  async *list(storeId: string): AsyncIterable<ListedObject> {
    const prefix = this.#keys.objects(storeId);
    for await (const { key, size, storedAt } of this.#bucket.list(prefix)) {
      yield { sha256: key.slice(prefix.length), size, storedAt };
    }
  }

  delete(storeId: string, hashes: readonly string[], confirm: ConfirmDeletion): Promise<Reclaimed> {
    return this.#deletions.delete(storeId, hashes, confirm);
  }

  restoreInterrupted(isDoomed: (object: ObjectAddress) => Promise<boolean>): Promise<void> {
    return this.#deletions.restoreInterrupted(isDoomed);
  }

  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const freed = await this.#multipart.deleteAbandoned(before);
    for (const area of ['incoming', 'settled', 'joined', 'probe'] as const) {
      const old: string[] = [];
      for await (const { key, size, storedAt } of this.#bucket.list(this.#keys.area(area))) {
        if (storedAt >= before) continue;
        old.push(key);
        if (area !== 'incoming') continue;
        freed.objects += 1;
        freed.bytes += size;
      }
      await this.#bucket.delete(old);
    }
    return freed;
  }

  async unregisteredBytes(storeId: string): Promise<number> {
    let bytes = await this.#multipart.bytes(storeId);
    for await (const { size } of this.#bucket.list(this.#keys.area('incoming', storeId))) bytes += size;
    return bytes;
  }

  async deleteStore(storeId: string): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    await this.#multipart.deleteStore(storeId);
    const areas = (['incoming', 'settled', 'joined', 'withdrawn'] as const).map((area) =>
      this.#keys.area(area, storeId),
    );
    for (const prefix of [this.#keys.objects(storeId), ...areas]) {
      let some: string[] = [];
      for await (const { key, size } of this.#bucket.list(prefix)) {
        some.push(key);
        if (prefix === this.#keys.objects(storeId)) {
          freed.objects += 1;
          freed.bytes += size;
        }
        if (some.length < DELETED_AT_ONCE) continue;
        await this.#bucket.delete(some);
        some = [];
      }
      await this.#bucket.delete(some);
    }
    await this.#cache.deleteStore(storeId);
    return freed;
  }

  async close(): Promise<void> {
    this.#close();
  }
}
