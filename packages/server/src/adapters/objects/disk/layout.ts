import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../../objects/missing.ts';
import type { ObjectAddress } from '../../../objects/store.ts';
import { close, fdatasync, open, PRIVATE_FILE, unlink } from '../files.ts';
import { ID, SHA256 } from '../http/presigned-urls.ts';

/** Which start of the machine this is; empty where the system does not say. */
const BOOT = readBootId();

/**
 * The paths below the store's folder.
 *
 *     objects/<storeId>/<aa>/<sha256>      whole, durable, immutable; <aa> is the first two digits
 *     incoming-<boot>/<storeId>/<sha256>   the staging area: verified since the machine started, not yet durable
 *     parts/<storeId>/<uploadId>/content   a multipart upload, every part at its offset
 *     parts/<storeId>/<uploadId>/<n>-<sha256 of the part>   empty marker: part n is complete
 *     parts/<storeId>/<uploadId>/joined-<sha256>   empty marker: joined and staged; `content` no longer exists
 *     withdrawn/<storeId>/<sha256>-<random>   a former object, about to be deleted or put back
 *     temporary/<random>                   being written; worthless after a restart, as what was staged before the
 *                                          machine started: a power cut may have destroyed what was not synced
 *     store-id                             the mark; see `mark.ts`
 */
export class Layout {
  readonly root: string;
  readonly objects: string;
  readonly incoming: string;
  readonly parts: string;
  readonly withdrawn: string;
  readonly temporary: string;

  constructor(root: string) {
    this.root = root;
    this.objects = join(root, 'objects');
    this.incoming = join(root, `incoming-${BOOT}`);
    this.parts = join(root, 'parts');
    this.withdrawn = join(root, 'withdrawn');
    this.temporary = join(root, 'temporary');
  }

  get folders(): string[] {
    return [this.root, this.objects, this.incoming, this.parts, this.withdrawn, this.temporary];
  }

  /** Returns the folders that are worthless when a service starts; `incoming` and `inherited` are of earlier versions. */
  async leftovers(): Promise<string[]> {
    const names = (await unlessMissing(readdir(this.root))) ?? [];
    const kept = BOOT === '' ? '' : this.incoming;
    return names
      .filter((name) => /^(?:temporary|incoming.*|inherited)$/.test(name))
      .map((name) => join(this.root, name))
      .filter((folder) => folder !== kept);
  }

  storeOf(area: 'objects' | 'incoming' | 'parts' | 'withdrawn', storeId: string): string {
    return `${this[area]}/${checked(ID, storeId)}`;
  }

  shard({ storeId, sha256 }: ObjectAddress): string {
    return `${this.objects}/${checked(ID, storeId)}/${checked(SHA256, sha256).slice(0, 2)}`;
  }

  object({ storeId, sha256 }: ObjectAddress): string {
    return `${this.objects}/${checked(ID, storeId)}/${checked(SHA256, sha256).slice(0, 2)}/${sha256}`;
  }

  staged({ storeId, sha256 }: ObjectAddress): string {
    return `${this.incoming}/${checked(ID, storeId)}/${checked(SHA256, sha256)}`;
  }

  upload({ storeId, uploadId }: { storeId: string; uploadId: string }): string {
    return `${this.parts}/${checked(ID, storeId)}/${checked(ID, uploadId)}`;
  }
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
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
    await unlessMissing(unlink(layout.staged(upload)));
    throw error;
  }
}
