import { join } from 'node:path';
import type { ObjectAddress } from '../../../objects/store.ts';

/** Ids of stores and uploads that are safe in a file path: no separators, no dots. */
export const ID = /^[A-Za-z0-9_-]{1,64}$/;
export const SHA256 = /^[0-9a-f]{64}$/;

/** The parts of the staging area, in the order in which they are searched. */
export const AREAS = ['incoming', 'inherited'] as const;
export type Area = (typeof AREAS)[number];

/**
 * The paths below the store's folder.
 *
 *     objects/<storeId>/<aa>/<sha256>      whole, durable, immutable; <aa> is the first two digits
 *     incoming/<storeId>/<sha256>          the staging area: verified by this process, not yet durable
 *     inherited/<storeId>/<sha256>         the staging area of earlier processes: verified again before use
 *     parts/<storeId>/<uploadId>/content   a multipart upload, every part at its offset
 *     parts/<storeId>/<uploadId>/<n>-<sha256 of the part>   empty marker: part n is complete
 *     parts/<storeId>/<uploadId>/joined-<sha256>   empty marker: joined and staged; `content` no longer exists
 *     withdrawn/<storeId>/<sha256>-<random>   a former object, about to be deleted or put back
 *     temporary/<random>                   being written; worthless after a restart
 *     store-id                             the mark; see `mark.ts`
 */
export class Layout {
  readonly root: string;
  readonly objects: string;
  readonly incoming: string;
  readonly inherited: string;
  readonly parts: string;
  readonly withdrawn: string;
  readonly temporary: string;

  constructor(root: string) {
    this.root = root;
    this.objects = join(root, 'objects');
    this.incoming = join(root, 'incoming');
    this.inherited = join(root, 'inherited');
    this.parts = join(root, 'parts');
    this.withdrawn = join(root, 'withdrawn');
    this.temporary = join(root, 'temporary');
  }

  get folders(): string[] {
    return [
      this.root,
      this.objects,
      this.incoming,
      this.inherited,
      this.parts,
      this.withdrawn,
      this.temporary,
    ];
  }

  storeOf(area: 'objects' | 'parts' | 'withdrawn' | Area, storeId: string): string {
    return `${this[area]}/${checked(ID, storeId)}`;
  }

  shard({ storeId, sha256 }: ObjectAddress): string {
    return `${this.objects}/${checked(ID, storeId)}/${checked(SHA256, sha256).slice(0, 2)}`;
  }

  object({ storeId, sha256 }: ObjectAddress): string {
    return `${this.objects}/${checked(ID, storeId)}/${checked(SHA256, sha256).slice(0, 2)}/${sha256}`;
  }

  staged(area: Area, { storeId, sha256 }: ObjectAddress): string {
    return `${this[area]}/${checked(ID, storeId)}/${checked(SHA256, sha256)}`;
  }

  upload({ storeId, uploadId }: { storeId: string; uploadId: string }): string {
    return `${this.parts}/${checked(ID, storeId)}/${checked(ID, uploadId)}`;
  }
}

function checked(rule: RegExp, value: string): string {
  if (!rule.test(value)) throw new Error('not an id or hash that may stand in a file path');
  return value;
}
