import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { steadyExpiry } from '../../../objects/presign.ts';
import type { AnnouncedUpload, MultipartUpload, ObjectAddress } from '../../../objects/store.ts';

/** Ids of stores and uploads that are safe in a file path: no separators, no dots. */
export const ID = /^[A-Za-z0-9_-]{1,64}$/;
export const SHA256 = /^[0-9a-f]{64}$/;

/** The path of every presigned URL begins with this. */
export const STORAGE_PATH = '/storage/';

/** What a presigned URL allows. */
export type Permit =
  | { kind: 'get'; object: ObjectAddress; fileName: string }
  | { kind: 'put'; upload: AnnouncedUpload }
  | { kind: 'part'; part: PartUrl };

export interface PartUrl {
  storeId: string;
  uploadId: string;
  partNumber: number;
  size: number;
  /** Where the part begins in the file. */
  offset: number;
  account?: string;
}

export type Verdict = Permit | 'unknown' | 'forged' | 'expired';

const SIGNATURE = /^(.*)&signature=([A-Za-z0-9_-]{43})$/;

/**
 * Signs and verifies presigned URLs. A URL states everything that it allows, and its signature is the HMAC-SHA-256 of
 * the method and of every byte of the URL before the signature:
 *
 *     GET /storage/<storeId>/objects/<sha256>/<file name>?expires=<seconds since 1970>&signature=…
 *     PUT /storage/<storeId>/incoming?path=…&size=…[&sha256=…][&by=…]&expires=…&signature=…
 *     PUT /storage/<storeId>/uploads/<uploadId>/<part number>?size=…&offset=…[&by=…]&expires=…&signature=…
 */
export class PresignedUrls {
  readonly #key: KeyObject;
  readonly #clock: () => number;

  constructor(secret: Uint8Array, clock: () => number) {
    this.#key = createSecretKey(secret);
    this.#clock = clock;
  }

  get({ storeId, sha256 }: ObjectAddress, fileName: string, ttlSeconds: number): string {
    return this.#sign('GET', `${STORAGE_PATH}${storeId}/objects/${sha256}/${encode(fileName)}?`, ttlSeconds);
  }

  put({ storeId, path, size, sha256, account }: AnnouncedUpload, ttlSeconds: number): string {
    const hash = sha256 === null ? '' : `sha256=${sha256}&`;
    const url = `${STORAGE_PATH}${storeId}/incoming?path=${encode(path)}&size=${size}&${hash}${by(account)}`;
    return this.#sign('PUT', url, ttlSeconds);
  }

  part(upload: MultipartUpload, partNumber: number, ttlSeconds: number): string {
    const { storeId, uploadId, partSize, account } = upload;
    const offset = (partNumber - 1) * partSize;
    const size = Math.min(partSize, upload.size - offset);
    const url = `${STORAGE_PATH}${storeId}/uploads/${uploadId}/${partNumber}?size=${size}&offset=${offset}&${by(account)}`;
    return this.#sign('PUT', url, ttlSeconds);
  }

  /**
   * Returns what a request's method and URL allow. Checks the signature first, so that a forged URL reveals nothing
   * about its expiry.
   */
  verify(method: string, url: string): Verdict {
    const [, signed, signature] = SIGNATURE.exec(url) ?? [];
    if (signed === undefined || signature === undefined) return 'forged';
    const expected = this.#mac(method === 'HEAD' ? 'GET' : method, signed);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return 'forged';
    const mark = signed.indexOf('?');
    const query = new URLSearchParams(signed.slice(mark + 1));
    if (Number(query.get('expires')) * 1_000 <= this.#clock()) return 'expired';
    return permitOf(signed.slice(STORAGE_PATH.length, mark).split('/'), query) ?? 'unknown';
  }

  #sign(method: string, url: string, ttlSeconds: number): string {
    const now = Math.ceil(this.#clock() / 1_000);
    const expires = method === 'GET' ? steadyExpiry(now, ttlSeconds) : now + ttlSeconds;
    const signed = `${url}expires=${expires}`;
    return `${signed}&signature=${this.#mac(method, signed)}`;
  }

  #mac(method: string, signed: string): string {
    return createHmac('sha256', this.#key).update(`${method} ${signed}`).digest('base64url');
  }
}

function permitOf(segments: string[], query: URLSearchParams): Permit | null {
  const [storeId = '', area, id = '', rest = ''] = segments;
  if (!ID.test(storeId)) return null;
  if (area === 'objects' && SHA256.test(id)) {
    return { kind: 'get', object: { storeId, sha256: id }, fileName: decodeURIComponent(rest) };
  }
  const size = Number(query.get('size'));
  const sender = query.get('by');
  const account = sender === null ? {} : { account: sender };
  if (area === 'incoming') {
    const path = query.get('path') ?? '';
    return { kind: 'put', upload: { storeId, path, size, sha256: query.get('sha256'), ...account } };
  }
  if (area === 'uploads' && ID.test(id)) {
    const offset = Number(query.get('offset'));
    return {
      kind: 'part',
      part: { storeId, uploadId: id, partNumber: Number(rest), size, offset, ...account },
    };
  }
  return null;
}

function by(account: string | undefined): string {
  return account === undefined ? '' : `by=${encode(account)}&`;
}

/** Like `encodeURIComponent`, but also safe in quoted shell arguments and in headers. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
