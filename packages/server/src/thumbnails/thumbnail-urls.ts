import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { LIMITS, THUMBNAIL_WIDTHS } from '@bindery/contract';
import { steadyExpiry } from '../objects/steady-expiry.ts';
import type { ObjectAddress } from '../objects/store.ts';

/** What a URL of a small thumbnail says, as it stands there. */
export interface ThumbnailUrl extends ObjectAddress {
  expires: string;
  signature: string;
}

/**
 * Makes and checks URLs of small thumbnails. Whoever holds one may have the picture in every width there is:
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
    // Objects have presigned URLs of the same secret: a key of their own keeps both apart.
    this.#key = createSecretKey(createHmac('sha256', secret).update('thumbnails').digest());
    this.#clock = clock;
    this.#publicUrl = publicUrl;
  }

  /** The picture in all widths, as `srcset` of HTML. */
  srcset(picture: ObjectAddress): string {
    const { storeId, sha256 } = picture;
    const expires = String(steadyExpiry(Math.ceil(this.#clock() / 1_000), LIMITS.thumbnailTtl));
    const query = `expires=${expires}&signature=${this.#mac(picture, expires).toString('base64url')}`;
    const base = `${this.#publicUrl()}/thumbnails/${storeId}/${sha256}`;
    return THUMBNAIL_WIDTHS.map((width) => `${base}/${width}.webp?${query} ${width}w`).join(', ');
  }

  /** A forged URL is told nothing about its expiry. */
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
