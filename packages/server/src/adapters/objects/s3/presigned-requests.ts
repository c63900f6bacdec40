import { randomBytes } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency';
import { BUNDLE, LIMITS } from '@bindery/contract';
import { attachment } from '../../../http/headers.ts';
import { inertTypeOf } from '../../../objects/media-types.ts';
import { unlessMissing } from '../../../objects/missing.ts';
import { steadyExpiry } from '../../../objects/presign.ts';
import type {
  AnnouncedUpload,
  DirectUpload,
  MultipartUpload,
  ObjectAddress,
  PresignedRequest,
  StoredObject,
  Verification,
} from '../../../objects/store.ts';
import { type SignatureV4, UNSIGNED_PAYLOAD } from '../../../signature-v4.ts';
import { digestOf } from '../files.ts';
import { CACHING } from '../http/download.ts';
import type { PresignedUrls } from '../http/presigned-urls.ts';
import type { Bucket } from './bucket.ts';
import type { Keys } from './keys.ts';
import { type S3Location, urlOf } from './s3-client.ts';
import { type SignedUpload, signUpload } from './verification.ts';

interface PresignedRequestsParts {
  location: S3Location;
  keys: Keys;
  signer: SignatureV4;
  verification: Verification;
  /** Signs the service's own URLs, for small files. */
  urls: PresignedUrls;
  publicUrl: () => string;
  clock: () => number;
}

/** Presigned requests: for small files to the service, for all others to the bucket. */
export class PresignedRequests {
  readonly #parts: PresignedRequestsParts;

  constructor(parts: PresignedRequestsParts) {
    this.#parts = parts;
  }

  get(object: ObjectAddress & { size?: number }, fileName: string, ttlSeconds: number): string {
    const { urls, publicUrl, signer, location, keys, clock } = this.#parts;
    if ((object.size ?? 0) <= BUNDLE.fileBytes) return publicUrl() + urls.get(object, fileName, ttlSeconds);
    const now = Math.floor(clock() / 1_000);
    const expires = steadyExpiry(now, ttlSeconds);
    // The start is derived from the expiry, so that the URL stays the same for as long as the expiry does.
    const from = expires === now + ttlSeconds ? now : expires - LIMITS.presignTtl.max;
    const request = {
      method: 'GET',
      url: urlOf(location, keys.object(object)),
      query: {
        'response-cache-control': CACHING,
        'response-content-disposition': attachment(fileName),
        'response-content-type': inertTypeOf(fileName),
      },
      payload: UNSIGNED_PAYLOAD,
    };
    return signer.presign(request, from * 1_000, expires - from);
  }

  put(upload: AnnouncedUpload | DirectUpload, ttlSeconds: number): PresignedRequest {
    const { urls, publicUrl } = this.#parts;
    if (!('uploadId' in upload)) return { url: publicUrl() + urls.put(upload, ttlSeconds), headers: {} };
    const { size, sha256 } = upload;
    return this.#upload(this.keyOfDirect(upload), { size, sha256 }, ttlSeconds);
  }

  part(
    upload: MultipartUpload,
    s3UploadId: string,
    partNumber: number,
    ttlSeconds: number,
  ): PresignedRequest {
    const size = Math.min(upload.partSize, upload.size - (partNumber - 1) * upload.partSize);
    const query = { partNumber: String(partNumber), uploadId: s3UploadId };
    const key = this.#parts.keys.upload('incoming', upload);
    return this.#upload(key, { size, sha256: null, query }, ttlSeconds);
  }

  /** Returns the key of a direct upload: its final key if the store itself rejects other bytes. */
  keyOfDirect(upload: DirectUpload): string {
    const { keys, verification } = this.#parts;
    const { storeId, sha256 } = upload;
    return sha256 === null || verification === 'read-back'
      ? keys.upload('incoming', upload)
      : keys.object({ storeId, sha256 });
  }

  #upload(key: string, upload: Omit<SignedUpload, 'url'>, ttlSeconds: number): PresignedRequest {
    const { location, signer, verification, clock } = this.#parts;
    const url = urlOf(location, key);
    return signUpload(signer, verification, { url, ...upload }, clock(), ttlSeconds);
  }
}

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
    const { sha256, size } = await digestOf(bucket.read(key));
    if (announced === null || announced === sha256) {
      await bucket.copy(key, keys.object({ storeId, sha256 }), size);
    }
    return { sha256, size };
  }
}
