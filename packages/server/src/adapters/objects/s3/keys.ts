import type { ObjectAddress } from '../../../objects/store.ts';

/** Top-level names that are not stores. */
export const AREAS: readonly string[] = ['incoming', 'settled', 'joined', 'withdrawn', 'probe'];

/**
 * The keys in the bucket, below the prefix.
 *
 *     <storeId>/objects/<sha256>          whole, verified, immutable
 *     incoming/<storeId>/<uploadId>       sent by a client and not verified; the parts of a multipart upload join here
 *     settled/<storeId>/<random>          a copy of an upload that its sender cannot write to, while it is read
 *     joined/<storeId>/<uploadId>         the SHA-256 of a completed multipart upload
 *     withdrawn/<storeId>/<deletion>-<sha256>   a former object, about to be deleted or put back; see `Deletions`
 *     probe/<random>                      written at start to find out what the store verifies
 */
export class Keys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** The prefix of all keys. */
  get top(): string {
    return this.#prefix;
  }

  object({ storeId, sha256 }: ObjectAddress): string {
    return this.objects(storeId) + sha256;
  }

  objects(storeId: string): string {
    return `${this.#prefix}${storeId}/objects/`;
  }

  /** Returns the prefix of an area, for one store or for all. */
  area(name: 'incoming' | 'settled' | 'joined' | 'withdrawn' | 'probe', storeId?: string): string {
    return `${this.#prefix}${name}/${storeId === undefined ? '' : `${storeId}/`}`;
  }

  upload(
    name: 'incoming' | 'settled' | 'joined',
    { storeId, uploadId }: { storeId: string; uploadId: string },
  ): string {
    return this.area(name, storeId) + uploadId;
  }
}

/** Returns the store and the name in a key below an area: `<storeId>/<name>`. */
export function splitKey(key: string, area: string): { storeId: string; name: string } {
  const [storeId = '', name = ''] = key.slice(area.length).split('/');
  return { storeId, name };
}
