import { BUNDLE, LIMITS } from '@bindery/contract';
import { steadyExpiry } from '../../../objects/steady-expiry.ts';
import type {
  AnnouncedUpload,
  DirectUpload,
  MultipartUpload,
  ObjectAddress,
  PresignedRequest,
} from '../../../objects/store.ts';
import { CACHING } from '../disk/download.ts';
import { attachment, contentTypeOf } from '../disk/file-headers.ts';
import type { PresignedUrls } from '../disk/presigned-urls.ts';
import type { Keys } from './keys.ts';
import { type S3Location, urlOf } from './location.ts';
import { type SignatureV4, UNSIGNED_PAYLOAD } from './signature-v4.ts';
import { bindingHeaders, signedPayload, type Verification } from './verification.ts';

interface PresignedRequestsParts {
  location: S3Location;
  keys: Keys;
  signer: SignatureV4;
  verification: Verification;
  /** Of the service's own URLs, for small files. */
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
    // As far back as it takes to be the same for as long as the expiry is.
    const from = expires === now + ttlSeconds ? now : expires - LIMITS.presignTtl.max;
    const request = {
      method: 'GET',
      url: urlOf(location, keys.object(object)),
      query: {
        'response-cache-control': CACHING,
        'response-content-disposition': attachment(fileName),
        'response-content-type': contentTypeOf(fileName),
      },
      payload: UNSIGNED_PAYLOAD,
    };
    return signer.presign(request, from * 1_000, expires - from);
  }

  put(upload: AnnouncedUpload | DirectUpload, ttlSeconds: number): PresignedRequest {
    const { urls, publicUrl, verification } = this.#parts;
    if (!('uploadId' in upload)) return { url: publicUrl() + urls.put(upload, ttlSeconds), headers: {} };
    const headers = upload.sha256 === null ? {} : bindingHeaders(verification, upload.sha256);
    return this.#sized(this.keyOfDirect(upload), upload.size, headers, ttlSeconds);
  }

  part(
    upload: MultipartUpload,
    s3UploadId: string,
    partNumber: number,
    ttlSeconds: number,
  ): PresignedRequest {
    const size = Math.min(upload.partSize, upload.size - (partNumber - 1) * upload.partSize);
    const query = { partNumber: String(partNumber), uploadId: s3UploadId };
    return this.#sized(this.#parts.keys.upload('incoming', upload), size, {}, ttlSeconds, query);
  }

  /** Where a direct upload goes: to its final key where the store itself refuses other bytes. */
  keyOfDirect(upload: DirectUpload): string {
    const { keys, verification } = this.#parts;
    const { storeId, sha256 } = upload;
    return sha256 === null || verification === 'read-back'
      ? keys.upload('incoming', upload)
      : keys.object({ storeId, sha256 });
  }

  /** The length is signed too, so that nobody sends more than was announced; clients send it anyway. */
  #sized(
    key: string,
    size: number,
    headers: Record<string, string>,
    ttlSeconds: number,
    query: Record<string, string> = {},
  ): PresignedRequest {
    const { location, signer, clock } = this.#parts;
    const request = {
      method: 'PUT',
      url: urlOf(location, key),
      query,
      headers: { ...headers, 'content-length': String(size) },
      payload: signedPayload(headers),
    };
    return { url: signer.presign(request, clock(), ttlSeconds), headers };
  }
}
