import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { unlessMissing } from '../../../objects/missing.ts';
import type { MultipartUpload, Reclaimed, StoredObject, StoredPart } from '../../../objects/store.ts';
import {
  missingNumbers,
  partsMissing,
  requireAnnounced,
  sizeOfPart,
  uploadNotFound,
} from '../multipart-failures.ts';
import type { Bucket, UnfinishedUpload } from './bucket.ts';
import type { Keys } from './keys.ts';

/** How many upload ids are cached between `begin` and the URLs of their parts. */
const REMEMBERED = 10_000;

/** Hashes a file that was joined in `incoming/` and makes it an object. */
export type Admit = (storeId: string, key: string) => Promise<StoredObject>;

/**
 * Multipart uploads. The S3 service stores the parts. The upload there that belongs to one of ours is identified by its
 * key, so that every process finds it. The joined file is read once for its hash, and becomes an object only then.
 */
export class MultipartUploads {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  /** The S3 service's upload ids, by key. */
  readonly #ids = new Map<string, string>();

  constructor(bucket: Bucket, keys: Keys) {
    this.#bucket = bucket;
    this.#keys = keys;
  }

  async begin(upload: MultipartUpload): Promise<void> {
    const key = this.#keys.upload('incoming', upload);
    // Not taken from the cache: another process might have completed or aborted the upload.
    if (await this.#underWay(key)) return;
    const own = await this.#bucket.begin(key);
    // If several processes began it at once, all use the same one.
    const first = (await this.#underWay(key)) ?? own;
    if (first !== own) await this.#bucket.abort(key, own);
    this.#remember(key, first);
  }

  /**
   * Returns the upload id for the presigned URL of a part. Throws `upload_not_found` if this process has not cached it.
   */
  idOf(upload: MultipartUpload): string {
    const id = this.#ids.get(this.#keys.upload('incoming', upload));
    if (id === undefined) throw uploadNotFound();
    return id;
  }

  /** Returns the parts that have the right size. */
  async storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    const key = this.#keys.upload('incoming', upload);
    const id = await this.#underWay(key);
    return id === null ? [] : this.#partsOfSize(upload, key, id);
  }

  async #partsOfSize(upload: MultipartUpload, key: string, id: string): Promise<StoredPart[]> {
    return (await this.#partsOf({ key, id }))
      .filter(({ partNumber, size }) => size === sizeOfPart(upload, partNumber))
      .map(({ partNumber, size, etag }) => ({ partNumber, size, etag }));
  }

  /**
   * Joins the parts; `admit` hashes the result and makes it an object. Several callers, in any process, can complete
   * the same upload at once: one that fails because another has completed it returns the other's result.
   */
  async complete(upload: MultipartUpload, admit: Admit): Promise<StoredObject> {
    const before = await this.#joined(upload);
    if (before !== null) return before;
    try {
      return await this.#admitJoined(upload, admit);
    } catch (error) {
      const meanwhile = await this.#joined(upload);
      if (meanwhile === null) throw error;
      return meanwhile;
    }
  }

  /** Returns the result of the upload if it was completed, otherwise null. */
  async #joined(upload: MultipartUpload): Promise<StoredObject | null> {
    const text = await unlessMissing(buffer(this.#bucket.read(this.#keys.upload('joined', upload))));
    return text && { sha256: text.toString('latin1'), size: upload.size };
  }

  async #admitJoined(upload: MultipartUpload, admit: Admit): Promise<StoredObject> {
    const key = this.#keys.upload('incoming', upload);
    await this.#join(upload, key);
    const stored = await admit(upload.storeId, key);
    try {
      requireAnnounced(upload, stored);
    } catch (error) {
      await this.#bucket.delete([key]);
      throw error;
    }
    const text = Buffer.from(stored.sha256, 'latin1');
    const sha256 = createHash('sha256').update(text).digest('hex');
    await this.#bucket.put(this.#keys.upload('joined', upload), text.length, sha256, text);
    await this.#bucket.delete([key]);
    return stored;
  }

  /** Joins the parts into one file, unless another caller has. */
  async #join(upload: MultipartUpload, key: string): Promise<void> {
    const id = await this.#underWay(key);
    const parts = id === null ? [] : await this.#partsOfSize(upload, key, id);
    const wanted = Math.ceil(upload.size / upload.partSize);
    if (id !== null && parts.length === wanted) {
      const joined = await unlessMissing(this.#bucket.complete(key, id, parts).then(() => true));
      this.#ids.delete(key);
      if (joined) return;
    }
    if ((await this.#bucket.size(key)) !== null) return;
    throw id === null ? uploadNotFound() : partsMissing(missingNumbers(parts, wanted));
  }

  async abort(upload: { storeId: string; uploadId: string }): Promise<void> {
    const key = this.#keys.upload('incoming', upload);
    for await (const begun of this.#bucket.uploads(key)) {
      if (begun.key === key) await this.#bucket.abort(key, begun.id);
    }
    this.#ids.delete(key);
    await this.#bucket.delete([key]);
  }

  /** Returns the bytes of all parts received for a store. */
  async bytes(storeId: string): Promise<number> {
    let bytes = 0;
    for await (const upload of this.#bucket.uploads(this.#keys.area('incoming', storeId))) {
      for (const { size } of await this.#partsOf(upload)) bytes += size;
    }
    return bytes;
  }

  /** Aborts uploads that were begun before `before` and have received no part since. */
  async deleteAbandoned(before: number): Promise<Reclaimed> {
    const freed: Reclaimed = { objects: 0, bytes: 0 };
    for await (const upload of this.#bucket.uploads(this.#keys.area('incoming'))) {
      const parts = await this.#partsOf(upload);
      const latest = Math.max(upload.begunAt, ...parts.map(({ storedAt }) => storedAt));
      if (latest >= before) continue;
      await this.#bucket.abort(upload.key, upload.id);
      freed.objects += 1;
      freed.bytes += parts.reduce((sum, { size }) => sum + size, 0);
    }
    return freed;
  }

  async deleteStore(storeId: string): Promise<void> {
    for await (const { key, id } of this.#bucket.uploads(this.#keys.area('incoming', storeId))) {
      await this.#bucket.abort(key, id);
    }
  }

  async #partsOf({ key, id }: Pick<UnfinishedUpload, 'key' | 'id'>) {
    return (await unlessMissing(this.#bucket.parts(key, id))) ?? [];
  }

  /**
   * Returns the id of the upload that was begun first, in an order that is the same for all processes; null if there is
   * none.
   */
  async #underWay(key: string): Promise<string | null> {
    let first: UnfinishedUpload | null = null;
    for await (const upload of this.#bucket.uploads(key)) {
      if (upload.key !== key) continue;
      if (first === null || order(upload) < order(first)) first = upload;
    }
    if (first !== null) this.#remember(key, first.id);
    return first?.id ?? null;
  }

  #remember(key: string, id: string): void {
    this.#ids.delete(key);
    this.#ids.set(key, id);
    const [oldest] = this.#ids.keys();
    if (this.#ids.size > REMEMBERED && oldest !== undefined) this.#ids.delete(oldest);
  }
}

function order({ begunAt, id }: UnfinishedUpload): string {
  return `${String(begunAt).padStart(16, '0')} ${id}`;
}
