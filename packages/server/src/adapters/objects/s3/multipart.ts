import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { unlessMissing } from '../../../objects/missing.ts';
import type { MultipartUpload, Reclaimed, StoredObject, StoredPart } from '../../../objects/store.ts';
import { mismatch } from '../disk/receive.ts';
import { missingNumbers, partsMissing, sizeOfPart, uploadNotFound } from '../multipart-failures.ts';
import type { BegunUpload, Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';

/** An upload that is not found under way in this process is looked for in the store. */
const REMEMBERED = 10_000;

/** A file that joined in `incoming/`, read for its hash. */
export type Admit = (storeId: string, key: string) => Promise<StoredObject>;

/**
 * Multipart uploads. The store keeps the parts; which of its own uploads one of ours is, it tells by the key, so that every
 * process finds it. What the parts join to is read once for its hash, and only then an object.
 */
export class MultipartUploads {
  readonly #bucket: Bucket;
  readonly #keys: Keys;
  /** The store's ids of uploads, by key. */
  readonly #ids = new Map<string, string>();

  constructor(bucket: Bucket, keys: Keys) {
    this.#bucket = bucket;
    this.#keys = keys;
  }

  async begin(upload: MultipartUpload): Promise<void> {
    const key = this.#keys.upload('incoming', upload);
    if (await this.#idOf(key)) return;
    const own = await this.#bucket.begin(key);
    // Of several that began it at once, all take the same.
    const first = (await this.#underWay(key)) ?? own;
    if (first !== own) await this.#bucket.abort(key, own);
    this.#remember(key, first);
  }

  /** What a presigned URL of a part says. Throws `upload_not_found` where the upload was not begun in this process. */
  idOf(upload: MultipartUpload): string {
    const id = this.#ids.get(this.#keys.upload('incoming', upload));
    if (id === undefined) throw uploadNotFound();
    return id;
  }

  /** Those of the right size. */
  async storedParts(upload: MultipartUpload): Promise<StoredPart[]> {
    const key = this.#keys.upload('incoming', upload);
    const id = await this.#underWay(key);
    const parts = id === null ? [] : ((await unlessMissing(this.#bucket.parts(key, id))) ?? []);
    return parts
      .filter(({ partNumber, size }) => size === sizeOfPart(upload, partNumber))
      .map(({ partNumber, size, etag }) => ({ partNumber, size, etag }));
  }

  /** `admit` reads what the parts joined to, and makes it an object. */
  async complete(upload: MultipartUpload, admit: Admit): Promise<StoredObject> {
    const key = this.#keys.upload('incoming', upload);
    const joined = this.#keys.upload('joined', upload);
    const done = await unlessMissing(buffer(this.#bucket.read(joined)));
    if (done !== null) return { sha256: done.toString('latin1'), size: upload.size };
    const id = await this.#underWay(key);
    if (id !== null) await this.#join(upload, key, id);
    else if ((await this.#bucket.size(key)) === null) throw uploadNotFound();
    const stored = await admit(upload.storeId, key);
    if (stored.size !== upload.size || (upload.sha256 !== null && upload.sha256 !== stored.sha256)) {
      await this.#bucket.delete([key]);
      throw mismatch(`The joined parts are not what was announced for "${upload.path}". Upload it again.`, {
        expected: { size: upload.size, sha256: upload.sha256 },
        received: stored,
      });
    }
    const text = Buffer.from(stored.sha256, 'latin1');
    await this.#bucket.put(joined, text.length, createHash('sha256').update(text).digest('hex'), text);
    await this.#bucket.delete([key]);
    return stored;
  }

  async #join(upload: MultipartUpload, key: string, id: string): Promise<void> {
    const parts = await this.storedParts(upload);
    const wanted = Math.ceil(upload.size / upload.partSize);
    if (parts.length !== wanted) throw partsMissing(missingNumbers(parts, wanted));
    await this.#bucket.complete(key, id, parts);
    this.#ids.delete(key);
  }

  async abort(upload: { storeId: string; uploadId: string }): Promise<void> {
    const key = this.#keys.upload('incoming', upload);
    for await (const begun of this.#bucket.uploads(key)) {
      if (begun.key === key) await this.#bucket.abort(key, begun.id);
    }
    this.#ids.delete(key);
    await this.#bucket.delete([key]);
  }

  /** Bytes of all parts of a store that have arrived. */
  async bytes(storeId: string): Promise<number> {
    let bytes = 0;
    for await (const upload of this.#bucket.uploads(this.#keys.area('incoming', storeId))) {
      for (const { size } of await this.#partsOf(upload)) bytes += size;
    }
    return bytes;
  }

  /** Aborts uploads of which no part came since before `before`. */
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

  async #partsOf({ key, id }: BegunUpload) {
    return (await unlessMissing(this.#bucket.parts(key, id))) ?? [];
  }

  async #idOf(key: string): Promise<string | null> {
    return this.#ids.get(key) ?? (await this.#underWay(key));
  }

  /** The first that was begun, in an order that all processes see alike. */
  async #underWay(key: string): Promise<string | null> {
    let first: BegunUpload | null = null;
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

function order({ begunAt, id }: BegunUpload): string {
  return `${String(begunAt).padStart(16, '0')} ${id}`;
}
