import { createHash, randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentsOf } from '../../../src/objects/store.ts';
import { type S3Access, s3 } from './bucket.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { openTestS3Store, type S3TestStore } from './s3-stores.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const answer = (status: number, code: string): Fault => ({ kind: 'answer', status, code });

const PASSING: { name: string; fault: Fault }[] = [
  { name: 'returns 503 SlowDown', fault: answer(503, 'SlowDown') },
  { name: 'returns 500', fault: answer(500, 'InternalError') },
  { name: 'resets connections', fault: { kind: 'reset' } },
  { name: 'truncates responses', fault: { kind: 'truncate' } },
];

describe.skipIf(s3 === null)('if the object store', () => {
  const access = s3 as S3Access;
  let proxy: FaultyProxy;
  let opened: S3TestStore;
  let others: S3TestStore[];

  beforeEach(async () => {
    proxy = await startFaultyProxy(access.endpoint);
    opened = await openTestS3Store(access, { endpoint: proxy.endpoint });
    others = [];
  });
  afterEach(async () => {
    await Promise.all([opened, ...others].map((one) => one.close()));
    await proxy.close();
  });

  /** Does something whose first two requests fail. */
  async function failingTwice<Result>(fault: Fault, work: () => Promise<Result>): Promise<Result> {
    let failed = 0;
    proxy.fault = () => {
      if (failed === 2) return null;
      failed += 1;
      return fault;
    };
    const result = await work();
    expect(failed).toBe(2);
    return result;
  }

  test.each(PASSING)('$name for a while, all operations still succeed', async ({ fault }) => {
    const { store } = opened;
    const bytes = randomBytes(900_000);
    const object = { storeId: 'lab', sha256: sha256(bytes) };
    const failing = <Result>(work: () => Promise<Result>) => failingTwice(fault, work);
    await failing(() => store.write('lab', bytes));
    expect((await failing(() => store.read(object))).equals(bytes)).toBe(true);
    const some = await failing(() => buffer(store.stream(object, { start: 10, end: 800_000 })));
    expect(some.equals(bytes.subarray(10, 800_001))).toBe(true);
    const content = contentsOf([{ ...object, size: bytes.length }]);
    expect(await failing(() => store.findAbsent('lab', content))).toEqual([]);
    expect(await failing(() => Array.fromAsync(store.list('lab')))).toHaveLength(1);
    const deletion = () => store.delete('lab', [object.sha256], async (some) => new Set(some));
    expect(await failing(deletion)).toMatchObject({ objects: 1 });
  });

  test('truncates several responses in a row, a long read resumes where it stopped', async () => {
    const bytes = randomBytes(5_000_000);
    const { sha256: hash } = await opened.store.write('lab', bytes);
    const starts: number[] = [];
    proxy.fault = ({ method, headers }) => {
      if (method !== 'GET') return null;
      starts.push(Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0));
      return starts.length % 4 === 0 ? null : { kind: 'truncate' };
    };
    expect((await opened.store.read({ storeId: 'lab', sha256: hash })).equals(bytes)).toBe(true);
    expect(starts).toEqual(starts.toSorted((one, other) => one - other));
    expect(starts.at(-1)).toBeGreaterThan(0);
  });

  test.each([
    { name: 'is full', fault: answer(403, 'QuotaExceeded'), code: 'storage_full' },
    { name: 'no longer allows writes', fault: answer(403, 'AccessDenied'), code: 'unavailable' },
    {
      name: 'rejects expired credentials',
      fault: answer(400, 'ExpiredToken'),
      code: 'unavailable',
    },
    { name: 'keeps returning 503', fault: answer(503, 'SlowDown'), code: 'unavailable' },
  ])('$name, writes fail with a matching error and stored objects are kept', async ({ fault, code }) => {
    const { store } = opened;
    const kept = randomBytes(1_000);
    const object = await store.write('lab', kept);
    proxy.fault = ({ method }) => (method === 'PUT' || method === 'POST' ? fault : null);
    const bytes = randomBytes(500);
    await expect(store.write('lab', bytes)).rejects.toMatchObject({ code });
    const upload = { storeId: 'lab', path: 'arm.stl', size: 500, sha256: sha256(bytes) };
    const { url } = store.presignPut(upload, 900);
    const answered = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });
    expect(answered.status).toBe(code === 'storage_full' ? 507 : 503);
    expect(await answered.json()).toMatchObject({ error: code });
    expect(opened.received).toEqual([]);
    await expect(store.delete('lab', [object.sha256], async (some) => new Set(some))).rejects.toMatchObject({
      code,
    });
    proxy.fault = () => null;
    expect((await store.read({ storeId: 'lab', ...object })).equals(kept)).toBe(true);
    expect(await store.size({ storeId: 'lab', sha256: sha256(bytes) })).toBeNull();
  });

  test('rejects the access key, opening it and its readiness check fail with unavailable', async () => {
    proxy.fault = () => answer(403, 'InvalidAccessKeyId');
    await expect(
      openTestS3Store(access, { endpoint: proxy.endpoint, bucket: opened.bucket }),
    ).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(opened.store.check()).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('does not verify bytes, direct uploads are read back and wrong ones never become objects', async () => {
    proxy.fault = ({ method, url = '' }) =>
      method === 'PUT' && url.includes('/probe/') ? answer(200, 'Fine') : null;
    const lying = await openTestS3Store(access, { endpoint: proxy.endpoint });
    others.push(lying);
    expect(lying.store.verification).toBe('read-back');
    const [right, wrong] = [randomBytes(300_000), randomBytes(300_000)];
    const upload = { storeId: 'lab', path: 'scan.ply', size: right.length, sha256: sha256(right) };
    for (const [uploadId, bytes] of [
      ['first', wrong],
      ['second', right],
    ] as const) {
      const { url, headers } = lying.store.presignPut({ ...upload, uploadId }, 900);
      expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status).toBe(200);
      expect(await lying.store.size({ storeId: 'lab', sha256: upload.sha256 })).toBeNull();
      const [stored] = await lying.store.collectDirectUploads([{ ...upload, uploadId }]);
      expect(stored).toEqual(bytes === right ? { sha256: upload.sha256, size: right.length } : null);
    }
    const listed = await Array.fromAsync(lying.store.list('lab'), (object) => object.sha256);
    expect(listed).toEqual([upload.sha256]);
  });

  test.each([true, false])(
    'gets other bytes while an upload is collected (hash announced: %s), the verified bytes are stored',
    async (isAnnounced) => {
      proxy.fault = ({ method, url = '' }) =>
        method === 'PUT' && url.includes('/probe/') ? answer(200, 'Fine') : null;
      const { store, ...reading } = await openTestS3Store(access, { endpoint: proxy.endpoint });
      others.push({ store, ...reading });
      const [right, wrong] = [randomBytes(300_000), randomBytes(300_000)];
      const hash = sha256(right);
      const upload = {
        storeId: 'lab',
        path: 'scan.ply',
        uploadId: 'racing',
        size: right.length,
        sha256: isAnnounced ? hash : null,
      };
      const { url, headers } = store.presignPut(upload, 900);
      const send = (bytes: Uint8Array<ArrayBuffer>) => fetch(url, { method: 'PUT', headers, body: bytes });
      expect((await send(new Uint8Array(right))).status).toBe(200);
      let sentAgain = 0;
      proxy.fault = (request) => {
        const isCopy = request.headers['x-amz-copy-source'] !== undefined;
        if (!isCopy || !request.url?.includes(`/objects/${hash}`)) return null;
        sentAgain += 1;
        return { kind: 'hold', until: send(new Uint8Array(wrong)) };
      };
      expect(await store.collectDirectUploads([upload])).toEqual([{ sha256: hash, size: right.length }]);
      expect(sentAgain).toBe(1);
      proxy.fault = () => null;
      expect((await store.read({ storeId: 'lab', sha256: hash })).equals(right)).toBe(true);
    },
  );

  test('is slow to delete an object, one that another process stores again meanwhile is kept', async () => {
    const bytes = randomBytes(700);
    const object = await opened.store.write('lab', bytes);
    const other = await openTestS3Store(access, { bucket: opened.bucket });
    others.push(other);
    const copied = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    // Stopped after it has copied the object and before it deletes it.
    proxy.fault = ({ method, url = '' }) => {
      if (method !== 'POST' || !url.includes('delete')) return null;
      copied.resolve();
      return { kind: 'hold', until: goOn.promise };
    };
    const stopped = opened.store.delete('lab', [object.sha256], async () => new Set());
    await copied.promise;
    await other.store.delete('lab', [object.sha256], async (some) => new Set(some));
    expect(await other.store.size({ storeId: 'lab', ...object })).toBeNull();
    await other.store.write('lab', bytes);
    goOn.resolve();
    await stopped;
    expect((await other.store.read({ storeId: 'lab', ...object })).equals(bytes)).toBe(true);
  });
});
