import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import type { MultipartUpload, ObjectStore, StoredObject } from '../../src/objects/store.ts';
import { type DiskTestStore, openTestDiskStore } from './stores.ts';

const STORE = 'lab';
const PART = 300_000;

function content(name: string, size: number): Buffer {
  return Buffer.alloc(size, createHash('sha256').update(name).digest());
}

function objectOf(bytes: Uint8Array): StoredObject {
  return { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
}

const small = content('small', 1_000);
const large = content('large', 400_000);
const scan = content('scan', PART + 500);
const index = content('index', 5_000);

/** What is in the store once the scenario came to its end, by name. */
export const finalObjects = {
  small: objectOf(small),
  large: objectOf(large),
  scan: objectOf(scan),
  index: objectOf(index),
};

/** Publishes three files and an index, then removes what nobody wants; says what is done as it goes. */
export async function publish({ store }: DiskTestStore, done: (what: string) => void): Promise<void> {
  await send(store, 'small', small);
  done('sent small');
  await send(store, 'large', large);
  done('sent large');
  const upload: MultipartUpload = {
    ...{ storeId: STORE, path: 'scan', ...objectOf(scan) },
    ...{ uploadId: 'upload-1', partSize: PART },
  };
  if (!(await store.findStaged(STORE, [objectOf(scan)])).size && !(await isObject(store, scan))) {
    await store.beginMultipart(upload);
    const there = new Set((await store.storedParts(upload)).map(({ partNumber }) => partNumber));
    for (const partNumber of [1, 2].filter((number) => !there.has(number))) {
      const { url } = store.presignPart(upload, partNumber, 900);
      await put(url, scan.subarray((partNumber - 1) * PART, partNumber * PART));
    }
    await store.completeMultipart(upload);
  }
  done('sent scan');
  const missing = await store.promote(STORE, [objectOf(small), objectOf(large), objectOf(scan)]);
  if (missing.length > 0) throw new Error('promote misses what was sent');
  done('promoted');
  await store.write(STORE, index);
  done('indexed');
  const unwanted = await store.write(STORE, content('unwanted', 10));
  await store.delete(STORE, [unwanted.sha256], async (all) => new Set(all));
  await store.write('workshop', small);
  await store.deleteStore('workshop');
  done('cleared');
}

async function isObject(store: ObjectStore, bytes: Uint8Array): Promise<boolean> {
  return (await store.size({ storeId: STORE, ...objectOf(bytes) })) !== null;
}

async function send(store: ObjectStore, path: string, bytes: Buffer): Promise<void> {
  await put(store.presignPut({ storeId: STORE, path, ...objectOf(bytes) }, 900).url, bytes);
}

async function put(url: string, bytes: Buffer): Promise<void> {
  const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });
  if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
}

if (import.meta.main) void publishOnce(process.argv[2] ?? '');

async function publishOnce(folder: string): Promise<void> {
  const disk = await openTestDiskStore({ folder });
  await publish(disk, (what) => writeSync(1, `${what}\n`));
  process.exit(0);
}
