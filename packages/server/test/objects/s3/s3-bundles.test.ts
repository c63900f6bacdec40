import { hash, randomBytes } from 'node:crypto';
import { BUNDLE } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { framed } from '../bundle-frames.ts';
import { type S3Access, s3 } from './bucket.ts';
import { type FaultyProxy, startFaultyProxy } from './faulty-proxy.ts';
import { openTestS3Store, type S3TestStore } from './s3-stores.ts';

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes);
const some = (count: number) => Array.from({ length: count }, () => randomBytes(500));

describe.skipIf(s3 === null)('a bundle over an S3 bucket', () => {
  let proxy: FaultyProxy;
  let opened: S3TestStore;
  /** Requests to the store, and how many files each question was for, whether they may be sent. */
  let requests: string[];
  let admitted: number[];

  beforeEach(async () => {
    const access = s3 as S3Access;
    proxy = await startFaultyProxy(access.endpoint);
    admitted = [];
    const received: S3TestStore['received'] = [];
    opened = await openTestS3Store(access, {
      endpoint: proxy.endpoint,
      intake: {
        reserve: async (uploads) => {
          admitted.push(uploads.length);
          return { [Symbol.dispose]() {} };
        },
        received: async (uploads) => {
          received.push(...uploads);
          return new Set();
        },
        partReceived: async () => {},
      },
    });
    opened.received = received;
    requests = [];
    proxy.fault = ({ method = '' }) => {
      requests.push(method);
      return null;
    };
  });
  afterEach(async () => {
    await opened.close();
    await proxy.close();
  });

  function putUrl(bytes: Uint8Array, at: number): URL {
    const upload = { storeId: 'lab', path: `part-${at}.stl`, size: bytes.length, sha256: sha256(bytes) };
    return new URL(opened.store.presignPut(upload, 900).url);
  }

  /** Sends some bytes as what was announced, which may be others. */
  function send(announced: readonly Uint8Array[], sent = announced): Promise<Response> {
    const urls = announced.map(putUrl);
    const frames = urls.map(({ pathname, search }, at) =>
      framed(pathname + search, sent[at] ?? Buffer.alloc(0)),
    );
    return fetch(`${urls[0]?.origin}${BUNDLE.path}`, { method: 'PUT', body: Buffer.concat(frames) });
  }

  async function bring(hashes: readonly string[]): Promise<(Buffer | number)[]> {
    const urls = hashes.map(
      (hash) => new URL(opened.store.presignGet({ storeId: 'lab', sha256: hash }, 'a', 900)),
    );
    const body = urls.map(({ pathname, search }) => pathname + search).join('\n');
    const answer = await fetch(`${urls[0]?.origin}${BUNDLE.path}`, { method: 'POST', body });
    expect(answer.status).toBe(200);
    const bytes = Buffer.from(await answer.arrayBuffer());
    const frames: (Buffer | number)[] = [];
    for (let at = 0; at < bytes.length; ) {
      const [status, length] = [bytes.readUInt32BE(at), bytes.readUInt32BE(at + 4)];
      at += BUNDLE.headBytes + length;
      frames.push(status === 200 ? bytes.subarray(at - length, at) : status);
    }
    return frames;
  }

  test('costs one bucket request per file each way, and asks for upload permission in batches', async () => {
    const files = some(40);
    expect((await send(files)).status).toBe(200);
    expect(requests).toEqual(files.map(() => 'PUT'));
    expect(admitted).toEqual([16, 16, 8]);
    const stored = opened.received.map((one) => one.stored.sha256);
    expect(stored.sort()).toEqual(files.map(sha256).sort());

    requests = [];
    expect(await bring(files.map(sha256))).toEqual(files);
    expect(requests).toEqual(files.map(() => 'GET'));
  });

  test('with one file of other bytes gets 422, and the files before it are stored', async () => {
    const files = some(20);
    const answer = await send(files, files.with(18, randomBytes(500)));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: 'upload_mismatch' });
    const stored = new Set(opened.received.map((one) => one.stored.sha256));
    for (const [at, bytes] of files.entries()) {
      const object = { storeId: 'lab', sha256: sha256(bytes) };
      if (at < 18) expect(stored).toContain(object.sha256);
      expect(await opened.store.size(object)).toBe(stored.has(object.sha256) ? bytes.length : null);
    }
    expect(stored).not.toContain(sha256(files[18] ?? Buffer.alloc(0)));
  });

  test('has its files in the requested order, even if responses of the bucket are truncated', async () => {
    const files = some(24);
    const large = randomBytes(BUNDLE.fileBytes + 1);
    for (const bytes of [...files, large]) await opened.store.write('lab', bytes);
    const missing = sha256(randomBytes(8));
    let reads = 0;
    proxy.fault = ({ method }) => (method === 'GET' && reads++ % 5 === 0 ? { kind: 'truncate' } : null);
    const asked = files.map(sha256).toSpliced(7, 0, missing).toSpliced(20, 0, sha256(large));
    expect(await bring(asked)).toEqual(
      (files as (Buffer | number)[]).toSpliced(7, 0, 404).toSpliced(20, 0, 413),
    );
  });
});
