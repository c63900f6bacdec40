import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AnnouncedUpload,
  type ConfirmDeletion,
  contentsOf,
  type MultipartUpload,
  type ObjectStore,
} from '../../src/objects/store.ts';
import type { TestStore } from './stores.ts';

const PART = 64 * 1024;

const confirmed: ConfirmDeletion = async (hashes) => new Set(hashes);

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function announce(bytes: Uint8Array, path = 'arm/arm.xml', storeId = 'lab'): AnnouncedUpload {
  return { storeId, path, size: bytes.length, sha256: sha256(bytes) };
}

/** What every object store does; each `open` answers a new, empty one that takes requests. */
export function describeObjectStore(name: string, open: () => Promise<TestStore>): void {
  describe(`object store on ${name}`, () => promises(open));
}

function promises(open: () => Promise<TestStore>): void {
  let opened: TestStore;
  let store: ObjectStore;

  beforeEach(async () => {
    opened = await open();
    store = opened.store;
  });
  afterEach(() => opened.close());

  /** As a client does, and then as the service does where it does not see uploads arrive. */
  async function send(bytes: Uint8Array, upload = announce(bytes)): Promise<Response> {
    const direct = { ...upload, uploadId: randomBytes(8).toString('hex') };
    const isDirect = store.acceptsDirectUpload(upload);
    const { url, headers } = store.presignPut(isDirect ? direct : upload, 900);
    const answer = await fetch(url, { method: 'PUT', headers, body: bytes as Uint8Array<ArrayBuffer> });
    if (isDirect) {
      for (const stored of await store.collectDirectUploads([direct]))
        if (stored) opened.received.push({ upload, stored });
    }
    return answer;
  }

  async function stored(bytes: Uint8Array, storeId = 'lab') {
    await send(bytes, announce(bytes, 'file', storeId));
    const object = { sha256: sha256(bytes), size: bytes.length };
    expect(await store.promote(storeId, [object])).toEqual([]);
    return { storeId, ...object };
  }

  async function listed(storeId = 'lab') {
    return (await Array.fromAsync(store.list(storeId))).map((object) => object.sha256).sort();
  }

  test('reports which contents are absent or of another size, and which objects are intact', async () => {
    const [first, second, never] = [randomBytes(300), randomBytes(2_000_000), randomBytes(7)];
    const objects = [await stored(first), await stored(second)];
    const missing = { sha256: sha256(never), size: 7 };
    const hash = sha256(first);
    expect(await store.findAbsent('lab', contentsOf(objects))).toEqual([]);
    expect(
      await store.findAbsent('lab', contentsOf([missing, ...objects, { sha256: hash, size: 299 }])),
    ).toEqual([0, 3]);
    expect(await store.findAbsent('another', contentsOf(objects))).toEqual([0, 1]);
    expect(await store.findIntact('lab', [missing, ...objects])).toEqual(
      new Set(objects.map((one) => one.sha256)),
    );
    expect(await store.findIntact('lab', [])).toEqual(new Set());
  });

  test('finds the one absent content among many, by its index', async () => {
    const { sha256: hash } = await stored(Buffer.from('here'));
    const many = Array.from({ length: 25_000 }, (_, at) => ({ sha256: hash, size: at === 12_345 ? 5 : 4 }));
    expect(await store.findAbsent('lab', contentsOf(many))).toEqual([12_345]);
  });

  test('is reachable', async () => {
    await expect(store.check()).resolves.toBeNull();
  });

  test.each([0, 1, 8_000, 256 * 1024, 256 * 1024 + 1, 3_000_000])(
    'an upload of %i bytes is an object once promoted, not while staged, and reads back byte for byte',
    async (size) => {
      const bytes = randomBytes(size);
      const object = { storeId: 'lab', sha256: sha256(bytes), size };
      expect((await send(bytes)).status).toBe(200);
      expect(await listed()).toEqual(store.hasStaging ? [] : [object.sha256]);
      expect(await store.size(object)).toBe(store.hasStaging ? null : size);
      expect(opened.received.map(({ stored: told }) => told)).toEqual([{ sha256: object.sha256, size }]);

      expect(await store.promote('lab', [object])).toEqual([]);
      expect(await store.size(object)).toBe(size);
      expect((await store.read(object)).equals(bytes)).toBe(true);
      const answer = await fetch(store.presignGet(object, 'arm.xml', 900));
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="arm.xml"');
      expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    },
  );

  test('promoting an existing object again changes nothing', async () => {
    const object = await stored(randomBytes(100));
    expect(await store.promote('lab', [object])).toEqual([]);
    expect(await listed()).toEqual([object.sha256]);
  });

  test('promote reports what is neither staged nor stored, and what has another size', async () => {
    const bytes = randomBytes(100);
    await send(bytes);
    const unknown = { sha256: sha256(randomBytes(8)), size: 8 };
    const shorter = { sha256: sha256(bytes), size: 99 };
    expect((await store.promote('lab', [unknown, shorter])).sort()).toEqual(
      [unknown.sha256, shorter.sha256].sort(),
    );
    expect(await listed()).toEqual(store.hasStaging ? [] : [sha256(bytes)]);
  });

  test('an upload to one store is missing from another', async () => {
    const bytes = randomBytes(100);
    await send(bytes);
    const object = { sha256: sha256(bytes), size: 100 };
    expect(await store.findStaged('lab', [object])).toEqual(new Set(store.hasStaging ? [object.sha256] : []));
    expect(await store.findStaged('workshop', [object])).toEqual(new Set());
    expect(await store.promote('workshop', [object])).toEqual([object.sha256]);
  });

  test('bytes with another hash than announced are refused and not staged', async () => {
    const bytes = randomBytes(50);
    const answer = await send(bytes, { ...announce(randomBytes(50)) });
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: 'upload_mismatch' });
    expect(await store.findStaged('lab', [{ sha256: sha256(bytes), size: 50 }])).toEqual(new Set());
    expect(opened.received).toEqual([]);
  });

  test('bytes written by the server are an object at once', async () => {
    const bytes = randomBytes(4_000);
    const object = await store.write('lab', bytes);
    expect(object).toEqual({ sha256: sha256(bytes), size: 4_000 });
    expect((await store.read({ storeId: 'lab', sha256: object.sha256 })).equals(bytes)).toBe(true);
  });

  test('a draft becomes an object if it is kept, and leaves nothing if it is not', async () => {
    const bytes = randomBytes(700_000);
    const object = { storeId: 'lab', sha256: sha256(bytes) };
    let file: string;
    {
      await using draft = await store.createDraft('lab');
      file = draft.file;
      await writeFile(file, bytes);
      expect(await listed()).toEqual([]);
    }
    expect(existsSync(file)).toBe(false);
    expect(await store.size(object)).toBeNull();
    {
      await using draft = await store.createDraft('lab');
      await writeFile(draft.file, bytes);
      await draft.commit(object.sha256);
    }
    expect(await listed()).toEqual([object.sha256]);
    expect((await store.read(object)).equals(bytes)).toBe(true);
  });

  test('a missing object has the size null and fails to read with ENOENT', async () => {
    const object = { storeId: 'lab', sha256: sha256(randomBytes(8)) };
    expect(await store.size(object)).toBeNull();
    await expect(store.read(object)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a byte range of an object can be streamed', async () => {
    const bytes = randomBytes(10_000);
    const object = await stored(bytes);
    const part = await buffer(store.stream(object, { start: 100, end: 199 }));
    expect(part.equals(bytes.subarray(100, 200))).toBe(true);
  });

  test('deleted objects are gone, the others stay, and the count includes only those that existed', async () => {
    const kept = await stored(randomBytes(10));
    const removed = await stored(randomBytes(20));
    const unknown = sha256(randomBytes(8));
    expect(await store.delete('lab', [removed.sha256, unknown], confirmed)).toEqual({
      objects: 1,
      bytes: 20,
    });
    expect(await listed()).toEqual([kept.sha256]);
    const answer = await fetch(store.presignGet(removed, 'gone.bin', 900));
    expect(answer.status).toBe(404);
  });

  test('an object deleted twice at the same time is counted once', async () => {
    const { sha256 } = await stored(randomBytes(20));
    const removals = await Promise.all([
      store.delete('lab', [sha256, sha256], confirmed),
      store.delete('lab', [sha256], confirmed),
    ]);
    expect(removals.map(({ bytes }) => bytes).reduce((sum, bytes) => sum + bytes)).toBe(20);
  });

  test('a deletion keeps objects that are not confirmed and objects that are stored again meanwhile', async () => {
    const [bytes, other] = [randomBytes(20), randomBytes(30)];
    const [object, doomed] = [await stored(bytes), await stored(other)];
    const hashes = [object.sha256, doomed.sha256];
    const seen = store.delete('lab', hashes, async (asked) => {
      expect(asked.toSorted()).toEqual(hashes.toSorted());
      expect(await listed()).toEqual([]);
      return new Set([doomed.sha256]);
    });
    expect(await seen).toEqual({ objects: 1, bytes: 30 });
    expect(await listed()).toEqual([object.sha256]);
    await expect(store.delete('lab', hashes, () => Promise.reject(new Error('no answer')))).rejects.toThrow(
      'no answer',
    );
    expect(await store.read(object)).toEqual(bytes);

    await store.delete('lab', hashes, async () => {
      await stored(bytes);
      return new Set();
    });
    expect(await store.read(object)).toEqual(bytes);
    await store.delete('lab', hashes, async (asked) => {
      await stored(bytes);
      return new Set(asked);
    });
    expect(await store.read(object)).toEqual(bytes);
  });

  test('objects hidden by an interrupted deletion are restored, or deleted by the next one', async () => {
    const [kept, doomed] = [await stored(randomBytes(20)), await stored(randomBytes(30))];
    const hashes = [kept.sha256, doomed.sha256];
    // As where a process ends: it never hears whether it may go on.
    const interrupted = async () => {
      const asked = Promise.withResolvers<void>();
      void store.delete('lab', hashes, () => {
        asked.resolve();
        return new Promise(() => {});
      });
      await asked.promise;
      expect(await listed()).toEqual([]);
    };
    await interrupted();
    await store.restoreInterrupted(async ({ sha256 }) => sha256 === doomed.sha256);
    expect(await listed()).toEqual([kept.sha256]);
    await interrupted();
    expect(await store.delete('lab', hashes, confirmed)).toEqual({ objects: 2, bytes: 50 });
    await store.restoreInterrupted(async () => false);
    expect(await listed()).toEqual([]);
  });

  test('deleting a store deletes its objects and staged uploads, and leaves other stores alone', async () => {
    await stored(randomBytes(10));
    const waiting = randomBytes(30);
    await send(waiting);
    const elsewhere = await stored(randomBytes(20), 'workshop');
    const freed = store.hasStaging ? { objects: 1, bytes: 10 } : { objects: 2, bytes: 40 };
    expect(await store.deleteStore('lab')).toEqual(freed);
    expect(await listed()).toEqual([]);
    expect(await store.findStaged('lab', [{ sha256: sha256(waiting), size: 30 }])).toEqual(new Set());
    expect(await listed('workshop')).toEqual([elsewhere.sha256]);
  });

  test('abandoned uploads are deleted; recent ones and objects are kept', async () => {
    const object = await stored(randomBytes(10));
    const waiting = randomBytes(30);
    await send(waiting);
    const upload = { sha256: sha256(waiting), size: 30 };
    expect(await store.deleteAbandoned(Date.now() - 60_000)).toEqual({ objects: 0, bytes: 0 });
    expect(await store.findStaged('lab', [upload])).toEqual(new Set(store.hasStaging ? [upload.sha256] : []));
    const freed = store.hasStaging ? { objects: 1, bytes: 30 } : { objects: 0, bytes: 0 };
    expect(await store.deleteAbandoned(Date.now() + 60_000)).toEqual(freed);
    expect(await store.findStaged('lab', [upload])).toEqual(new Set());
    expect(await listed()).toEqual(
      store.hasStaging ? [object.sha256] : [object.sha256, upload.sha256].sort(),
    );
  });

  describe('a multipart upload', () => {
    const bytes = randomBytes(3 * PART + 1_000);

    async function begin(over: Partial<MultipartUpload> = {}): Promise<MultipartUpload> {
      const upload = { ...announce(bytes, 'scan.ply'), uploadId: 'upload-1', partSize: PART, ...over };
      await store.beginMultipart(upload);
      return upload;
    }

    function partOf(partNumber: number) {
      return bytes.subarray((partNumber - 1) * PART, partNumber * PART);
    }

    async function sendPart(
      upload: MultipartUpload,
      partNumber: number,
      body: Uint8Array = partOf(partNumber),
    ) {
      const { url, headers } = store.presignPart(upload, partNumber, 900);
      return fetch(url, { method: 'PUT', headers, body: body as Uint8Array<ArrayBuffer> });
    }

    test('joins parts sent in any order to the file', async () => {
      const upload = await begin();
      for (const partNumber of [4, 2, 1, 3]) {
        const answer = await sendPart(upload, partNumber);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('etag')).toMatch(/^".+"$/);
      }
      const object = await store.completeMultipart(upload);
      expect(object).toEqual({ sha256: sha256(bytes), size: bytes.length });
      expect(await store.promote('lab', [object])).toEqual([]);
      expect((await store.read({ storeId: 'lab', ...object })).equals(bytes)).toBe(true);
    });

    test('counts only complete parts, and names the missing ones at completion', async () => {
      const upload = await begin();
      await sendPart(upload, 1);
      await sendPart(upload, 4);
      expect((await sendPart(upload, 2, partOf(2).subarray(1))).ok).toBe(false);
      expect((await store.storedParts(upload)).map(({ partNumber, size }) => [partNumber, size])).toEqual([
        [1, PART],
        [4, 1_000],
      ]);
      await expect(store.completeMultipart(upload)).rejects.toMatchObject({
        code: 'parts_missing',
        details: { parts: [2, 3], total: 2 },
      });
      await sendPart(upload, 2);
      await sendPart(upload, 3);
      await expect(store.completeMultipart(upload)).resolves.toEqual({
        sha256: sha256(bytes),
        size: bytes.length,
      });
    });

    test('replaces a part that is sent again', async () => {
      const upload = await begin();
      await sendPart(upload, 2, randomBytes(PART));
      for (const partNumber of [1, 2, 3, 4]) await sendPart(upload, partNumber);
      await expect(store.completeMultipart(upload)).resolves.toMatchObject({ sha256: sha256(bytes) });
    });

    test('discards all its parts if they do not have the announced hash', async () => {
      const upload = await begin({ sha256: sha256(randomBytes(8)) });
      for (const partNumber of [1, 2, 3, 4]) await sendPart(upload, partNumber);
      await expect(store.completeMultipart(upload)).rejects.toMatchObject({ code: 'upload_mismatch' });
      expect(await store.storedParts(upload)).toEqual([]);
      expect(await store.findStaged('lab', [{ sha256: sha256(bytes), size: bytes.length }])).toEqual(
        new Set(),
      );
    });

    test('leaves no parts after an abort, and a second abort does nothing', async () => {
      const upload = await begin();
      await sendPart(upload, 1);
      await store.abortMultipart(upload);
      expect(await store.storedParts(upload)).toEqual([]);
      await expect(store.abortMultipart(upload)).resolves.toBeUndefined();
    });

    test('loses its parts once it is abandoned', async () => {
      const upload = await begin();
      await sendPart(upload, 1);
      expect((await store.deleteAbandoned(Date.now() - 60_000)).objects).toBe(0);
      expect((await store.deleteAbandoned(Date.now() + 60_000)).objects).toBe(1);
      expect(await store.storedParts(upload)).toEqual([]);
    });
  });
}
