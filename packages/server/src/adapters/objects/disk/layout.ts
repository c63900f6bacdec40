import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { close, fdatasync, open, PRIVATE_FILE, unlink } from '../files.ts';
import { ID, SHA256 } from '../http/presigned-urls.ts';

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

/** Returns a path that no temporary file has yet. */
export function temporaryPath(layout: Layout): string {
  return `${layout.temporary}/${randomUUID()}`;
}

/** Runs `fill` with a new temporary file, which `fill` moves or deletes; if `fill` throws, the file is deleted. */
export async function withTemporaryFile<Value>(
  layout: Layout,
  fill: (fd: number, path: string) => Promise<Value>,
): Promise<Value> {
  const path = temporaryPath(layout);
  const fd = await open(path, 'wx', PRIVATE_FILE);
  try {
    return await fill(fd, path);
  } catch (error) {
    await unlessMissing(unlink(path));
    throw error;
  } finally {
    await close(fd);
  }
}

/**
 * Syncs a staged file, or deletes it if that fails: a write error is reported only once, so the next sync would succeed
 * although the bytes are lost.
 */
export async function syncOrRemove(fd: number, layout: Layout, upload: ObjectAddress): Promise<void> {
  try {
    await fdatasync(fd);
  } catch (error) {
    for (const area of AREAS) await unlessMissing(unlink(layout.staged(area, upload)));
    throw error;
  }
}
