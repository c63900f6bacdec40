import { hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { BUNDLE } from '@bindery/contract';
import type { StoredObject } from '../../src/objects/store.ts';
import { framed } from './bundle-frames.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const BUNDLES = 3;
const FILES = 30;

function content(name: string): Buffer {
  return Buffer.alloc(3_000, hash('sha256', name, 'buffer'));
}

function objectOf(bytes: Buffer): StoredObject {
  return { sha256: hash('sha256', bytes), size: bytes.length };
}

const names = (bundle: number) => Array.from({ length: FILES }, (_, file) => `bundle-${bundle}/${file}`);
const allNames = Array.from({ length: BUNDLES }, (_, bundle) => names(bundle)).flat();

export const finalObjects = Object.fromEntries(allNames.map((name) => [name, objectOf(content(name))]));

/** Sends bundles and makes their files objects; says what is done as it goes. */
export async function publish({ store, origin }: DiskTestStore, done: (what: string) => void): Promise<void> {
  for (let bundle = 0; bundle < BUNDLES; bundle++) {
    const frames = names(bundle).map((path) => {
      const upload = { storeId: 'lab', path, ...objectOf(content(path)) };
      return framed(store.presignPut(upload, 900).url.slice(origin.length), content(path));
    });
    const answer = await fetch(origin + BUNDLE.path, { method: 'PUT', body: Buffer.concat(frames) });
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
    done(`sent bundle-${bundle}`);
  }
  const missing = await store.promote('lab', Object.values(finalObjects));
  if (missing.length > 0) throw new Error('promote misses what was sent');
  done('promoted');
}

if (import.meta.main) void publishOnce(process.argv[2] ?? '');

async function publishOnce(folder: string): Promise<void> {
  const disk = await openTestDiskStore({ folder });
  await publish(disk, (what) => writeSync(1, `${what}\n`));
  process.exit(0);
}
