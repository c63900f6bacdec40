import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LIMITS, THUMBNAIL_WIDTHS } from '@bindery/contract';
import { steadyExpiry } from '../objects/presign.ts';
import type { ObjectAddress } from '../objects/store.ts';

/** The parts of a small thumbnail's URL, unparsed. */
interface ThumbnailUrl extends ObjectAddress {
  expires: string;
  signature: string;
}

/**
 * Creates and verifies URLs of small thumbnails. Anyone with a URL can fetch the picture in every available width, and
 * its turntable, which is `turntable.webp`:
 *
 *     GET /thumbnails/<storeId>/<sha256>/<width>.webp?expires=<seconds since 1970>&signature=…
 */
export class ThumbnailUrls {
  readonly #key: KeyObject;
  readonly #clock: () => number;
  readonly #publicUrl: () => string;

  constructor({
    secret,
    clock,
    publicUrl,
  }: {
    secret: Uint8Array;
    clock: () => number;
    publicUrl: () => string;
  }) {
    // Presigned URLs of objects are signed with the same secret: a separate key keeps the two apart.
    this.#key = createSecretKey(createHmac('sha256', secret).update('thumbnails').digest());
    this.#clock = clock;
    this.#publicUrl = publicUrl;
  }

  /** Returns the URLs of the picture in all widths, as an HTML `srcset`. */
  srcset(picture: ObjectAddress): string {
    const { storeId, sha256 } = picture;
    const expires = String(steadyExpiry(Math.ceil(this.#clock() / 1_000), LIMITS.thumbnailTtl));
    const query = `expires=${expires}&signature=${this.#mac(picture, expires).toString('base64url')}`;
    const base = `${this.#publicUrl()}/thumbnails/${storeId}/${sha256}`;
    return THUMBNAIL_WIDTHS.map((width) => `${base}/${width}.webp?${query} ${width}w`).join(', ');
  }

  /** Verifies a URL. A forged one is reported as forged even if it has expired. */
  verify({ signature, expires, ...picture }: ThumbnailUrl): 'granted' | 'forged' | 'expired' {
    const given = Buffer.from(signature, 'base64url');
    const expected = this.#mac(picture, expires);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged';
    return Number(expires) * 1_000 <= this.#clock() ? 'expired' : 'granted';
  }

  #mac({ storeId, sha256 }: ObjectAddress, expires: string): Buffer {
    return createHmac('sha256', this.#key).update(`${storeId}/${sha256}?${expires}`).digest();
  }
}
