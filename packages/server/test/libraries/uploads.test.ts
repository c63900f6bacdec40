import { createHash, randomBytes } from 'node:crypto';
import { LIMITS, type ResponseOf, type routes, type Transfer } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { startService, type TestService } from '../service.ts';

type Authorized = ResponseOf<typeof routes.uploads.authorizeUploads>;

const MIB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Two files that are uploaded in parts. */
const [bytes, otherBytes] = [randomBytes(64 * MIB + 5), randomBytes(64 * MIB + 5)];

describe.each(databases)('uploads over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    await service.member('bo');
  });
  afterAll(() => service.close());

  async function authorize(actor: Actor, files: unknown, library = 'ada/libraries/robots') {
    return actor.post<Authorized & { error: string; parameter: string; message: string }>(
      `/namespaces/${library}/upload-authorizations`,
      { files },
    );
  }

  async function transferOf(file: Record<string, unknown>, actor = ada): Promise<Transfer> {
    const { body } = await authorize(actor, [file]);
    return body.files[0]!.transfer;
  }

  async function put({ url, headers }: { url: string; headers: Record<string, string> }, bytes: Uint8Array) {
    return exchange(url, { method: 'PUT', headers, body: bytes });
  }

  async function receiptsOf(path: string) {
    return service.context.db
      .selectFrom('upload_receipts')
      .select(['sha256', 'size'])
      .where('path', '=', path)
      .orderBy('received_at')
      .execute();
  }

  test('a member gets one URL per file in the requested order, and each upload leaves a receipt', async () => {
    const bytes = randomBytes(500);
    const { status, body } = await authorize(ada, [
      { relativePath: 'order/b.obj', size: 500 },
      { relativePath: '.bindery/manifest.json', size: 2 },
      { relativePath: 'order/a name.obj', size: 0, mediaType: 'model/obj' },
    ]);
    expect(status).toBe(200);
    expect(body.files.map(({ relativePath, transfer }) => [relativePath, transfer.kind])).toEqual([
      ['order/b.obj', 'single-put'],
      ['.bindery/manifest.json', 'single-put'],
      ['order/a name.obj', 'single-put'],
    ]);
    const { transfer } = body.files[0]!;
    if (transfer.kind !== 'single-put') throw new Error('expected one address');
    expect((await put(transfer.put, bytes)).status).toBe(200);
    expect(await receiptsOf('order/b.obj')).toEqual([{ sha256: sha256(bytes), size: 500 }]);
  });

  test('bytes that are already uploaded are present, and count as received at the new path', async () => {
    const bytes = randomBytes(300);
    const file = { size: 300, sha256: sha256(bytes) };
    const first = await transferOf({ relativePath: 'present/first.bin', ...file });
    if (first.kind !== 'single-put') throw new Error('expected one address');
    await put(first.put, bytes);
    expect(await transferOf({ relativePath: 'present/second.bin', ...file })).toEqual({ kind: 'present' });
    expect(await receiptsOf('present/second.bin')).toEqual([{ sha256: file.sha256, size: 300 }]);
    expect((await transferOf({ relativePath: 'present/third.bin', size: 300 })).kind).toBe('single-put');
    expect((await transferOf({ relativePath: 'present/third.bin', ...file, size: 301 })).kind).toBe(
      'single-put',
    );
  });

  test('bytes uploaded to another library are not present', async () => {
    const bytes = randomBytes(40);
    const file = { relativePath: 'a.bin', size: 40, sha256: sha256(bytes) };
    const first = await transferOf(file);
    if (first.kind !== 'single-put') throw new Error('expected one address');
    await put(first.put, bytes);
    const { body } = await authorize(ada, [file], 'ada/libraries/other');
    expect(body.files[0]!.transfer.kind).toBe('single-put');
  });

  test('only members can upload; others get 401, 404 or 403', async () => {
    const files = [{ relativePath: 'a', size: 1 }];
    const reader = await service.token('ada', { scope: 'read' });
    const stranger = await service.stranger();
    expect((await authorize(service.anonymous, files)).status).toBe(401);
    expect((await authorize(stranger, files)).status).toBe(404);
    expect((await authorize(reader, files)).status).toBe(403);
    expect((await authorize(ada, files, 'nowhere/libraries/robots')).status).toBe(404);
  });

  test('a stranger with invalid input gets 404, not the validation error', async () => {
    const stranger = await service.stranger();
    expect((await authorize(stranger, [{ relativePath: '../x', size: -1 }])).status).toBe(404);
  });

  test.each([
    ['a path with ".."', [{ relativePath: 'a/../b', size: 1 }], '/files/0/relativePath'],
    ['an absolute path', [{ relativePath: '/a', size: 1 }], '/files/0/relativePath'],
    ['a path in the reserved folder', [{ relativePath: '.Bindery/x', size: 1 }], '/files/0/relativePath'],
    ['a negative size', [{ relativePath: 'a', size: -1 }], '/files/0/size'],
    ['an invalid hash', [{ relativePath: 'a', size: 1, sha256: 'AB' }], '/files/0/sha256'],
    ['an unknown key', [{ relativePath: 'a', size: 1, mode: 1 }], '/files/0/mode'],
    ['an empty list of files', [], '/files'],
    [
      'a duplicate path',
      [
        { relativePath: 'a', size: 1 },
        { relativePath: 'b', size: 1 },
        { relativePath: 'a', size: 1 },
      ],
      '/files/2/relativePath',
    ],
    [
      '1,001 files',
      Array.from({ length: 1_001 }, (_, at) => ({ relativePath: `f${at}`, size: 1 })),
      '/files',
    ],
    ['more than 10 GiB', [{ relativePath: 'big', size: LIMITS.uploadBatch.bytes + 1 }], '/files'],
  ])('rejects %s and names the parameter', async (_, files, parameter) => {
    const { status, body } = await authorize(ada, files);
    expect({ status, error: body.error, parameter: body.parameter }).toEqual({
      status: 400,
      error: 'invalid_parameter',
      parameter,
    });
    expect(body.message.length).toBeLessThan(400);
  });

  test('a full batch of 1,000 long paths is accepted', async () => {
    const files = Array.from({ length: 1_000 }, (_, at) => ({
      relativePath: `${`${'x'.repeat(250)}/`.repeat(4)}${at}`,
      size: 1,
      sha256: sha256(Buffer.from(String(at))),
    }));
    const { status, body } = await authorize(ada, files);
    expect(status).toBe(200);
    expect(body.files.length).toBe(1_000);
  });

  describe('multipart uploads', () => {
    const file = { size: bytes.length, sha256: sha256(bytes) };
    const other = { size: otherBytes.length };

    async function begin(path: string) {
      const transfer = await transferOf({ relativePath: path, ...file });
      if (transfer.kind !== 's3-multipart') throw new Error('expected parts');
      return transfer;
    }

    type Multipart = Awaited<ReturnType<typeof begin>>;

    async function sendParts({ parts, partSize }: Multipart, numbers: number[], from = bytes) {
      const known: { partNumber: number; etag: string }[] = [];
      for (const part of parts.filter(({ partNumber }) => numbers.includes(partNumber))) {
        const start = (part.partNumber - 1) * partSize;
        const answer = await put(part, from.subarray(start, start + part.size));
        expect(answer.status).toBe(200);
        known.push({ partNumber: part.partNumber, etag: answer.headers.get('etag')! });
      }
      return known;
    }

    const pathOf = (url: string) => url.slice(service.url.length);

    test('start at 64 MiB, and resume with only the missing parts after an interruption', async () => {
      const transfer = await begin('scan.ply');
      expect(transfer.partSize).toBe(16 * MIB);
      expect(transfer.parts.map(({ partNumber, size }) => [partNumber, size])).toEqual([
        [1, 16 * MIB],
        [2, 16 * MIB],
        [3, 16 * MIB],
        [4, 16 * MIB],
        [5, 5],
      ]);
      expect([transfer.complete.method, transfer.abort.method]).toEqual(['POST', 'DELETE']);
      await sendParts(transfer, [1, 3, 5]);

      const resumed = await begin('scan.ply');
      expect(resumed.uploadId).toBe(transfer.uploadId);
      expect(resumed.parts.map(({ partNumber }) => partNumber)).toEqual([2, 4]);
      const early = await ada.post(pathOf(resumed.complete.url), { parts: [] });
      expect(early.status).toBe(409);
      expect(early.body).toMatchObject({ error: 'parts_missing', parts: [2, 4], total: 2 });

      const known = await sendParts(resumed, [2, 4]);
      const done = await ada.post(pathOf(resumed.complete.url), { parts: known });
      expect(done.status).toBe(200);
      expect(done.body).toEqual({ relativePath: 'scan.ply', ...file });
      expect(await receiptsOf('scan.ply')).toEqual([{ sha256: file.sha256, size: file.size }]);
      expect(await transferOf({ relativePath: 'scan.ply', ...file })).toEqual({ kind: 'present' });

      const again = await ada.post(pathOf(resumed.complete.url), { parts: [] });
      expect([again.status, again.body]).toEqual([200, done.body]);
      expect(await receiptsOf('scan.ply')).toEqual([{ sha256: file.sha256, size: file.size }]);
      const abort = await ada.delete(pathOf(resumed.abort.url));
      expect([abort.status, (abort.body as { error: string }).error]).toEqual([404, 'upload_not_found']);
    });

    test('return the same result to six concurrent completions, with one receipt', async () => {
      const transfer = await transferOf({ relativePath: 'six.ply', ...other, sha256: sha256(otherBytes) });
      if (transfer.kind !== 's3-multipart') throw new Error('expected parts');
      await sendParts(transfer, [1, 2, 3, 4, 5], otherBytes);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => ada.post(pathOf(transfer.complete.url), { parts: [] })),
      );
      const expected = { relativePath: 'six.ply', size: other.size, sha256: sha256(otherBytes) };
      expect(answers.map(({ status, body }) => ({ status, body }))).toEqual(
        answers.map(() => ({ status: 200, body: expected })),
      );
      expect(await receiptsOf('six.ply')).toEqual([{ sha256: expected.sha256, size: other.size }]);
    });

    test('return 200 or 404 for a part sent during an abort, and 404 for one sent after it', async () => {
      const transfer = await transferOf({
        relativePath: 'gone.ply',
        ...other,
        sha256: sha256(randomBytes(1)),
      });
      if (transfer.kind !== 's3-multipart') throw new Error('expected parts');
      const sent = transfer.parts.map((part) => put(part, otherBytes.subarray(0, part.size)));
      expect((await ada.delete(pathOf(transfer.abort.url))).status).toBe(204);
      for (const answer of await Promise.all(sent)) expect([200, 404]).toContain(answer.status);
      const late = await put(transfer.parts[4]!, otherBytes.subarray(0, 5));
      expect([late.status, JSON.parse(late.bytes.toString()).error]).toEqual([404, 'upload_not_found']);
    });

    test('reject unknown part numbers and wrong ETags at completion', async () => {
      const other = { size: bytes.length, sha256: sha256(randomBytes(1)) };
      const transfer = await transferOf({ relativePath: 'tags.ply', ...other });
      if (transfer.kind !== 's3-multipart') throw new Error('expected parts');
      await sendParts(transfer, [5]);
      const complete = pathOf(transfer.complete.url);
      const number = await ada.post(complete, { parts: [{ partNumber: 6, etag: 'x' }] });
      expect([number.status, number.body.parameter]).toEqual([400, '/parts/0/partNumber']);
      const tag = await ada.post(complete, { parts: [{ partNumber: 5, etag: '"other"' }] });
      expect([tag.status, tag.body.error]).toEqual([422, 'upload_mismatch']);
    });

    test('start from scratch after an abort, and only members can complete or abort', async () => {
      const other = { size: bytes.length, sha256: sha256(randomBytes(1)) };
      const transfer = await transferOf({ relativePath: 'aborted.ply', ...other });
      if (transfer.kind !== 's3-multipart') throw new Error('expected parts');
      const stranger = await service.stranger();
      const abort = pathOf(transfer.abort.url);
      expect((await stranger.delete(abort)).status).toBe(404);
      expect((await stranger.post(`${abort}/complete`, { parts: [] })).status).toBe(404);
      expect((await service.anonymous.delete(abort)).status).toBe(401);
      expect((await ada.delete(abort)).status).toBe(204);
      expect((await ada.delete(abort)).status).toBe(404);
      const begun = await transferOf({ relativePath: 'aborted.ply', ...other });
      expect(begun.kind === 's3-multipart' && begun.uploadId).not.toBe(transfer.uploadId);
    });
  });
});
