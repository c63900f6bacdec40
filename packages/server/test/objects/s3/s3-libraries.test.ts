import { MANIFEST_SCHEMA, manifestText, type Transfer } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reclaim } from '../../../src/objects/retention/reclaim.ts';
import { Actor } from '../../actor.ts';
import { databases, type LocatedDatabase } from '../../databases.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from '../../libraries/publisher.ts';
import { startService, type TestService } from '../../service.ts';
import { makeBucket, s3, type TestBucket } from './bucket.ts';

const DAY = 86_400;
const LIBRARY = '/namespaces/ada/libraries/robots';
/** More than a bundle brings, so it goes straight to the bucket. */
const LARGE = 'scan '.repeat(80_000);

describe.skipIf(s3 === null).each(databases)('libraries in a bucket, over $name', ({ open }) => {
  let bucket: TestBucket;
  let database: LocatedDatabase;
  let service: TestService;
  let robots: Publisher;

  beforeEach(async () => {
    if (!s3) return;
    bucket = await makeBucket(s3);
    database = await open();
    service = await startInBucket();
    robots = new Publisher(await service.member('ada'), 'ada', 'robots');
  });
  afterEach(async () => {
    await service.close();
    await database.close();
  });

  /** Another one runs beside the first, over the same database. */
  function startInBucket(configuration = {}): Promise<TestService> {
    const { endpoint = '', ...credentials } = s3 ?? { accessKeyId: '', secretAccessKey: '' };
    const location = { bucket: bucket.name, prefix: '', endpoint, region: 'us-east-1' };
    return startService({
      database: { ...database, close: async () => {} },
      configuration: { s3: { ...location, credentials, cacheBytes: 2 ** 26 }, ...configuration },
    });
  }

  async function authorize(files: Record<string, string>, hashed = true): Promise<Transfer[]> {
    const { body } = await robots.actor.post<{ files: { transfer: Transfer }[] }>(
      `${LIBRARY}/upload-authorizations`,
      {
        files: Object.entries(files).map(([relativePath, content]) => ({
          ...{ relativePath, size: Buffer.byteLength(content) },
          ...(hashed ? { sha256: sha256(content) } : {}),
        })),
      },
    );
    return body.files.map(({ transfer }) => transfer);
  }

  async function put(transfer: Transfer | undefined, content: string): Promise<number> {
    if (transfer?.kind !== 'single-put') throw new Error(`not a single put: ${transfer?.kind}`);
    const { url, headers } = transfer.put;
    return (await fetch(url, { method: 'PUT', headers, body: content })).status;
  }

  async function urlOf(path: string): Promise<string> {
    const { body } = await robots.actor.post<{ files: { url: string }[] }>(`${LIBRARY}/files-presign`, {
      paths: [path],
    });
    return body.files[0]?.url ?? '';
  }

  async function storeOf(): Promise<string> {
    const { store_id } = await service.context.db
      .selectFrom('library_names')
      .select('store_id')
      .executeTakeFirstOrThrow();
    return store_id;
  }

  async function stored(): Promise<string[]> {
    return (await Array.fromAsync(service.context.objects.list(await storeOf()))).map(
      (object) => object.sha256,
    );
  }

  test.each([true, false])(
    'send small files through the service and large ones directly (hashes announced: %s)',
    async (hashed) => {
      const files = { 'arm.stl': 'a small arm', 'scan.ply': LARGE };
      const [small, large] = await authorize(files, hashed);
      if (small?.kind !== 'single-put' || large?.kind !== 'single-put') throw new Error('not single puts');
      expect(small.put.url).toMatch(`${service.url}/storage/`);
      expect(large.put.url).toMatch(`${bucket.access.endpoint}/${bucket.name}/`);
      expect([await put(small, files['arm.stl']), await put(large, LARGE)]).toEqual([200, 200]);
      await robots.uploadManifest(manifestOf(files));
      expect((await robots.register()).status).toBe(201);
      for (const [path, content] of Object.entries(files)) {
        const url = await urlOf(path);
        expect(url).toMatch(path === 'scan.ply' ? bucket.access.endpoint : service.url);
        const answer = await fetch(url);
        expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="${path}"`);
        expect(await answer.text()).toBe(content);
      }
      const replica = await startInBucket();
      const other = new Actor(replica.url, { ...robots.actor.headers });
      expect((await other.get(`${LIBRARY}/manifest`)).body).toMatchObject(manifestOf(files));
      await replica.close();
    },
  );

  test('refuse to register a file that was announced but never uploaded', async () => {
    const files = { 'arm.stl': 'a small arm', 'scan.ply': LARGE };
    const [small] = await authorize(files);
    await put(small, files['arm.stl']);
    await robots.uploadManifest(manifestOf(files));
    const { status, body } = await robots.register();
    expect([status, body]).toMatchObject([409, { error: 'files_missing', paths: ['scan.ply'] }]);
    const [, large] = await authorize(files);
    await put(large, LARGE);
    expect((await robots.register()).status).toBe(201);
  });

  test('refuse other bytes than were announced, and keep the files they have', async () => {
    await robots.publish({ 'scan.ply': LARGE });
    const next = `${LARGE}!`;
    const [transfer] = await authorize({ 'scan.ply': next });
    expect(await put(transfer, `${LARGE}?`)).toBeGreaterThanOrEqual(400);
    await robots.uploadManifest(manifestOf({ 'scan.ply': next }));
    expect((await robots.register()).body).toMatchObject({ error: 'files_missing' });
    expect(await (await fetch(await urlOf('scan.ply'))).text()).toBe(LARGE);
  });

  test('are kept as they were by what differs, and made again from it', async () => {
    await service.close();
    service = await startInBucket({ historyDays: 30 });
    robots = new Publisher(await service.member('ada'), 'ada', 'robots');
    await robots.upload({ 'arm.stl': 'an arm' });
    const texts: string[] = [];
    for (const title of ['first', 'second', 'third']) {
      const files = [fileEntry('arm.stl', 'an arm')];
      const assets = Array.from({ length: 1_000 }, (_, number) => ({
        ...{ id: `arm-${number}`, title: number === 7 ? title : 'arm' },
        ...{ description: 'an arm '.repeat(40), files },
      }));
      texts.push(manifestText({ schema: MANIFEST_SCHEMA, assets }));
      await robots.uploadManifest(texts.at(-1) ?? '');
      expect((await robots.register()).status).toBeLessThan(300);
    }
    service.advance(2 * DAY);
    await reclaim(service.context);
    const hashes = texts.map((text) => sha256(text));
    expect(new Set(hashes).intersection(new Set(await stored()))).toEqual(new Set([hashes[2]]));
    const served = await fetch(`${service.url}${LIBRARY}/manifest?revision=1`, {
      headers: robots.actor.headers,
    });
    expect(sha256(await served.text())).toBe(hashes[0]);
    expect((await robots.actor.get(`${LIBRARY}/assets/arm-7?revision=2`)).body).toMatchObject({
      title: 'second',
    });
  });

  test('do not request an uploaded file again, whether it is registered or not', async () => {
    const files = { 'arm.stl': 'a small arm', 'scan.ply': LARGE };
    const [small, large] = await authorize(files);
    expect([await put(small, files['arm.stl']), await put(large, LARGE)]).toEqual([200, 200]);
    expect((await authorize(files)).map(({ kind }) => kind)).toEqual(['present', 'present']);
    await robots.uploadManifest(manifestOf(files));
    expect((await robots.register()).status).toBe(201);
    expect((await authorize(files)).map(({ kind }) => kind)).toEqual(['present', 'present']);
  });

  test('register the last uploaded manifest, even if a large one bypasses the service', async () => {
    const pad = (version: number) =>
      manifestOf({ 'arm.stl': 'arm' }, { library: { title: `v${version}`, description: 'x'.repeat(3_000) } });
    const large = { ...pad(1), assets: manyAssets() };
    await robots.upload({ 'arm.stl': 'arm' });
    await robots.uploadManifest(large);
    await robots.uploadManifest(pad(2));
    expect((await robots.register()).status).toBe(201);
    expect((await robots.actor.get(LIBRARY)).body).toMatchObject({ title: 'v2', assetCount: 1 });
    await robots.uploadManifest(large);
    expect((await robots.register()).status).toBe(200);
    expect((await robots.actor.get(LIBRARY)).body).toMatchObject({ title: 'v1', assetCount: 3_000 });
  });

  test('delete unregistered uploads after the grace period, and nothing else', async () => {
    const files = { 'arm.stl': 'a small arm', 'scan.ply': LARGE };
    await robots.publish(files);
    const before = new Set(await stored());
    const stray = { 'stray.stl': 'never registered', 'stray.ply': `${LARGE} never registered` };
    const transfers = await authorize(stray);
    await put(transfers[0], stray['stray.stl']);
    await put(transfers[1], stray['stray.ply']);
    const strays = Object.values(stray).map(sha256);
    expect(await stored()).toEqual(expect.arrayContaining(strays));
    await reclaim(service.context);
    expect(await stored()).toEqual(expect.arrayContaining(strays));
    // Found once, and deleted when it has been so for the grace period.
    for (let day = 0; day < 3; day++) {
      service.advance(DAY + 60);
      await reclaim(service.context);
    }
    expect(new Set(await stored())).toEqual(before);
    expect((await robots.actor.get(`${LIBRARY}/assets/arm.stl`)).status).toBe(200);
  });

  test('count direct uploads against the unregistered limit of the account', async () => {
    const allowed = await startInBucket({ maxUnregistered: LARGE.length + 1_000 });
    robots = new Publisher(new Actor(allowed.url, { ...robots.actor.headers }), 'ada', 'robots');
    await authorize({ 'scan.ply': LARGE });
    const { status, body } = await robots.actor.post(`${LIBRARY}/upload-authorizations`, {
      files: [{ relativePath: 'more.ply', size: LARGE.length, sha256: sha256('more') }],
    });
    expect([status, body]).toMatchObject([507, { error: 'storage_full' }]);
    await allowed.close();
  });

  test('are repaired by a push with verify if the bucket lost or changed a file', async () => {
    const files = { 'arm.stl': 'a small arm', 'scan.ply': LARGE };
    await robots.publish(files);
    const key = (content: string) => storeOf().then((store) => `${store}/objects/${sha256(content)}`);
    const changed = `${LARGE.slice(0, -1)}!`;
    await bucket.send({ method: 'PUT', key: await key(LARGE), body: Buffer.from(changed) });
    await bucket.send({ method: 'DELETE', key: await key(files['arm.stl']) });
    const entries = Object.entries(files).map(([path, content]) => fileEntry(path, content));
    const { body } = await robots.actor.post<{ files: { transfer: Transfer }[] }>(
      `${LIBRARY}/upload-authorizations`,
      { files: entries.map(({ path, ...entry }) => ({ relativePath: path, ...entry })), verify: true },
    );
    expect(body.files.map(({ transfer }) => transfer.kind)).toEqual(['single-put', 'single-put']);
    await put(body.files[0]?.transfer, files['arm.stl']);
    await put(body.files[1]?.transfer, LARGE);
    expect((await robots.register()).status).toBe(200);
    expect(await (await fetch(await urlOf('scan.ply'))).text()).toBe(LARGE);
    expect(await service.context.db.selectFrom('damaged_objects').selectAll().execute()).toEqual([]);
  });

  test('leave nothing in the bucket after a purge, even if an upload URL is used after it', async () => {
    await robots.publish({ 'arm.stl': 'a small arm', 'scan.ply': LARGE });
    const late = `${LARGE} late`;
    const [transfer] = await authorize({ 'late.ply': late });
    await robots.actor.delete(LIBRARY);
    expect((await robots.actor.delete(`${LIBRARY}/purge`)).status).toBe(200);
    expect(await put(transfer, late)).toBe(200);
    await reclaim(service.context);
    const listing = await bucket.send({ method: 'GET', key: '' });
    expect(await listing.text()).not.toContain('<Key>');
    service.advance(2 * DAY);
    await reclaim(service.context);
    expect(await service.context.db.selectFrom('dead_stores').selectAll().execute()).toEqual([]);
  });
});

/** So many that their manifest goes past the service. */
function manyAssets() {
  return Array.from({ length: 3_000 }, (_, at) => ({
    id: `arm-${at}`,
    description: 'y'.repeat(60),
    files: [fileEntry('arm.stl', 'arm')],
  }));
}
