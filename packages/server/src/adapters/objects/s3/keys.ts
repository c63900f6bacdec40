import type { ObjectAddress } from '../../../objects/store.ts';

/** What lies beside the stores. */
export const AREAS: readonly string[] = ['incoming', 'settled', 'joined', 'withdrawn', 'probe'];

/**
 * Where everything lies in the bucket, below the prefix.
 *
 *     <storeId>/objects/<sha256>          whole, verified, immutable
 *     incoming/<storeId>/<uploadId>       sent by a client and not verified; the parts of a multipart upload join here
 *     settled/<storeId>/<random>          a copy of what was sent, out of its sender's reach while it is read
 *     joined/<storeId>/<uploadId>         the SHA-256 that a completed multipart upload has
 *     withdrawn/<storeId>/<deletion>-<sha256>   was an object, and is about to be deleted or put back; see `Deletions`
 *     probe/<random>                      how the store was asked at start what it verifies
 */
export class Keys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  /** What all keys begin with. */
  get top(): string {
    return this.#prefix;
  }

  object({ storeId, sha256 }: ObjectAddress): string {
    return this.objects(storeId) + sha256;
  }

  objects(storeId: string): string {
    return `${this.#prefix}${storeId}/objects/`;
  }

  /** The area of one store, or of all. */
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

/** What a key says below an area of all stores: `<storeId>/<rest>`. */
export function partsOf(key: string, area: string): { storeId: string; name: string } {
  const [storeId = '', name = ''] = key.slice(area.length).split('/');
  return { storeId, name };
}
