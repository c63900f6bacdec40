import { hash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BUNDLE, type Transfer } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { framed } from '../objects/bundle-frames.ts';
import { startManualPut } from '../objects/manual-put.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';

const MIB = 1024 * 1024;
const FILE = MIB / 2;

describe.each(databases)('unregistered uploads over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  beforeEach(async () => {
    service = await startService({
      database: await open(),
      configuration: { maxUnregistered: 2.25 * MIB },
    });
    ada = await service.member('ada');
  });
  afterEach(() => service.close());

  async function ask(actor: Actor, library: string, files: { relativePath: string; size: number }[]) {
    return actor.post<{ files: { transfer: Transfer }[]; error: string; message: string }>(
      `/namespaces/${library}/upload-authorizations`,
      { files },
    );
  }

  async function addresses(actor: Actor, library: string, count: number, size = FILE): Promise<string[]> {
    const files = Array.from({ length: count }, () => ({
      relativePath: `${randomBytes(4).toString('hex')}.ply`,
      size,
    }));
    const { status, body } = await ask(actor, library, files);
    expect(status).toBe(200);
    return body.files.map(({ transfer }) => (transfer.kind === 'single-put' ? transfer.put.url : ''));
  }

  async function put(url: string, size = FILE) {
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(randomBytes(size)) });
    return { status: answer.status, body: answer.ok ? null : await answer.json() };
  }

  test('are limited per account across all its libraries, even those authorized before', async () => {
    const urls = [
      ...(await addresses(ada, 'ada/libraries/one', 4)),
      ...(await addresses(ada, 'ada/libraries/two', 4)),
    ];
    const answers = await Promise.all(urls.map((url) => put(url)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(4);
    for (const { status, body } of answers) {
      if (status === 200) continue;
      expect({ status, error: body.error }).toEqual({ status: 507, error: 'storage_full' });
      expect(body.message).toMatch(/3 MiB of unregistered uploads.*Register/);
    }
    const more = await ask(ada, 'ada/libraries/three', [{ relativePath: 'more.ply', size: FILE }]);
    expect([more.status, more.body.error]).toEqual([507, 'storage_full']);

    const bo = await service.member('bo');
    const [his] = await addresses(bo, 'bo/libraries/one', 1);
    expect((await put(his!)).status).toBe(200);
  });

  test('no longer count once registered, and count once if they are the same bytes', async () => {
    const library = new Publisher(ada, 'ada', 'robots');
    const text = 'x'.repeat(FILE);
    for (let round = 0; round < 8; round++) await library.upload({ 'same.stl': text });
    for (let round = 0; round < 8; round++) {
      const { status } = await library.publish({ [`arm-${round}.stl`]: `${round}${text}` });
      expect([200, 201]).toContain(status);
    }
  });

  test('get 404 after a purge, alone, in a bundle or in parts, and leave nothing behind', async () => {
    const library = new Publisher(ada, 'ada', 'robots');
    await library.publish({ 'arm.stl': 'arm' });
    const [alone, bundled] = await addresses(ada, 'ada/libraries/robots', 2, 1_000);
    const [part] = await partAddresses();
    expect((await ada.delete(library.path)).status).toBe(200);
    expect((await ada.delete(`${library.path}/purge`)).status).toBe(200);

    const bundle = framed(bundled!.slice(service.url.length), randomBytes(1_000));
    const answers = [
      await put(alone!, 1_000),
      await fetch(service.url + BUNDLE.path, { method: 'PUT', body: new Uint8Array(bundle) }),
      await put(part!, 1_000),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
    const { dataDir } = service.context.configuration;
    const objects = join(dataDir, 'objects');
    const areas = (await readdir(objects)).filter((area) => /^(?:incoming-.+|parts|temporary)$/.test(area));
    expect(areas).toHaveLength(3);
    expect((await Promise.all(areas.map((area) => readdir(join(objects, area))))).flat()).toEqual([]);
    const receipts = service.context.db.selectFrom('upload_receipts').select('path');
    expect(await receipts.where('path', 'like', '%.ply').execute()).toEqual([]);
  });

  test('get 404 if the library is purged while they are being sent', async () => {
    const library = new Publisher(ada, 'ada', 'robots');
    await library.publish({ 'arm.stl': 'arm' });
    const [url] = await addresses(ada, 'ada/libraries/robots', 1);
    const held = startManualPut(url!, FILE);
    await held.send(randomBytes(FILE - 1));
    expect((await ada.delete(library.path)).status).toBe(200);
    expect((await ada.delete(`${library.path}/purge`)).status).toBe(200);
    await held.send(randomBytes(1));
    expect(await held.status).toBe(404);
  });

  async function partAddresses(): Promise<string[]> {
    const size = 64 * MIB;
    const upload = {
      storeId: await storeOf('robots'),
      path: 'scan.ply',
      size,
      sha256: hash('sha256', 'scan'),
    };
    const multipart = { ...upload, uploadId: 'upload-1', partSize: 1_000 };
    await service.context.objects.beginMultipart(multipart);
    return [service.context.objects.presignPart(multipart, 1, 900).url];
  }

  async function storeOf(name: string): Promise<string> {
    const { store_id } = await service.context.db
      .selectFrom('library_names')
      .select('store_id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    return store_id;
  }
});
