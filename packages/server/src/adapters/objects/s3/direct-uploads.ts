import { createHash, randomBytes } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency';
import { unlessMissing } from '../../../objects/missing.ts';
import type { DirectUpload, StoredObject } from '../../../objects/store.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';
import type { PresignedRequests } from './presigned-requests.ts';

/** Uploads that are checked, and read if the store verified nothing, at the same time. */
const CONCURRENCY = 8;

interface DirectUploadsParts {
  bucket: Bucket;
  keys: Keys;
  presigned: PresignedRequests;
}

/** Turns what clients have sent directly to the bucket into objects. */
export class DirectUploads {
  readonly #parts: DirectUploadsParts;

  constructor(parts: DirectUploadsParts) {
    this.#parts = parts;
  }

  async collect(uploads: readonly DirectUpload[]): Promise<(StoredObject | null)[]> {
    const stored: (StoredObject | null)[] = uploads.map(() => null);
    await forEachBounded(uploads.entries(), { concurrency: CONCURRENCY }, async ([at, upload]) => {
      stored[at] = await this.#collectOne(upload);
    });
    return stored;
  }

  async #collectOne(upload: DirectUpload): Promise<StoredObject | null> {
    const { bucket, keys, presigned } = this.#parts;
    const key = presigned.keyOfDirect(upload);
    const size = await bucket.size(key);
    if (size === null) return null;
    const { storeId, sha256 } = upload;
    if (sha256 !== null && key === keys.object({ storeId, sha256 })) return { sha256, size };
    const stored = await unlessMissing(this.#admitSent(storeId, key, size, sha256));
    await bucket.delete([key]);
    return stored && (sha256 === null || stored.sha256 === sha256) ? stored : null;
  }

  /**
   * Admits a copy that the sender's URL cannot write to, so that the bytes hashed are the bytes stored, whatever is
   * sent meanwhile.
   */
  async #admitSent(
    storeId: string,
    key: string,
    size: number,
    announced: string | null,
  ): Promise<StoredObject> {
    const { bucket, keys } = this.#parts;
    const own = keys.upload('settled', { storeId, uploadId: randomBytes(12).toString('hex') });
    try {
      await bucket.copy(key, own, size);
      return await this.admit(storeId, own, announced);
    } finally {
      await bucket.delete([own]);
    }
  }

  /**
   * Hashes the content of a key that no client can write to and makes it an object, unless another hash was announced.
   */
  async admit(storeId: string, key: string, announced: string | null = null): Promise<StoredObject> {
    const { bucket, keys } = this.#parts;
    const digest = createHash('sha256');
    let size = 0;
    for await (const chunk of bucket.read(key)) {
      digest.update(chunk);
      size += chunk.length;
    }
    const sha256 = digest.digest('hex');
    if (announced === null || announced === sha256) {
      await bucket.copy(key, keys.object({ storeId, sha256 }), size);
    }
    return { sha256, size };
  }
}
