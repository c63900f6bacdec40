import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/adapters/database/postgres.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { Actor } from '../actor.ts';
import type { LocatedDatabase } from '../databases.ts';
import { manifestOf, Publisher } from '../libraries/publisher.ts';
import { makeBucket, s3, type TestBucket } from '../objects/s3/bucket.ts';
import { startService, type TestService } from '../service.ts';
import { type BlackholeProxy, startBlackholeProxy } from './blackhole-proxy.ts';
import { postgres } from './replicas.ts';

const LIBRARY = '/namespaces/ada/libraries/robots';
/** Milliseconds after which a silent database counts as gone here. */
const ANSWER_TIMEOUT = 1_000;

const filesOf = (version: number) => ({ 'arm/arm.xml': `<arm v="${version}"/>`, 'base.xml': '<base/>' });

describe.skipIf(postgres === null || s3 === null)('a server that is cut off', () => {
  let database: LocatedDatabase;
  let bucket: TestBucket;
  let toDatabase: BlackholeProxy;
  let toBucket: BlackholeProxy;
  let cutOff: TestService;
  let other: TestService;
  let ada: Actor;

  beforeEach(async () => {
    if (!postgres || !s3) return;
    database = await postgres.open();
    bucket = await makeBucket(s3);
    toDatabase = await startBlackholeProxy(database.location);
    toBucket = await startBlackholeProxy(s3.endpoint);
    other = await start(database.location);
    cutOff = await start(toDatabase.url);
    ada = await other.member('ada');
  });
  afterEach(async () => {
    toDatabase.setBlackhole(false);
    toBucket.setBlackhole(false);
    for (const one of [cutOff, other, toDatabase, toBucket, database]) await one.close();
  });

  function start(databaseUrl: string): Promise<TestService> {
    const { accessKeyId = '', secretAccessKey = '' } = s3 ?? {};
    const endpoint = new URL(toBucket.url).origin;
    const location = { bucket: bucket.name, prefix: '', endpoint, region: 'us-east-1' };
    const db = openPostgres(databaseUrl, { answerTimeout: ANSWER_TIMEOUT });
    return startService({
      database: { db, close: () => db.destroy() },
      configuration: {
        databaseUrl,
        s3: { ...location, credentials: { accessKeyId, secretAccessKey }, cacheBytes: 2 ** 26 },
      },
    });
  }

  const at = ({ url }: TestService) => new Actor(url, { ...ada.headers });
  const publisher = (service: TestService) => new Publisher(at(service), 'ada', 'robots');
  const readiness = async ({ anonymous }: TestService) => {
    const { status, body } = await anonymous.get<{ message?: string }>('/readyz');
    return [status, body.message ?? ''];
  };

  async function expectWhole(version: number): Promise<void> {
    for (const service of [cutOff, other]) {
      const { body } = await at(service).get(`${LIBRARY}/manifest`);
      expect(body).toEqual(manifestOf(filesOf(version)));
      const presigned = await at(service).post<{ files: { url: string }[] }>(`${LIBRARY}/files-presign`, {
        paths: Object.keys(filesOf(version)),
      });
      const texts = presigned.body.files.map(async ({ url }) => (await fetch(url)).text());
      expect(await Promise.all(texts)).toEqual(Object.values(filesOf(version)));
    }
  }

  test('from the database returns 503, loses nothing, and recovers by itself', async () => {
    expect((await publisher(cutOff).publish(filesOf(1))).status).toBe(201);
    toDatabase.setBlackhole(true);
    expect(await readiness(cutOff)).toEqual([503, 'The database cannot be reached.']);
    expect(await readiness(other)).toEqual([200, '']);
    const [read, registered] = await Promise.all([
      at(cutOff).get<{ error: string }>(LIBRARY),
      publisher(cutOff).register<{ error: string }>(),
    ]);
    expect([read.status, read.body.error]).toEqual([503, 'unavailable']);
    expect(registered.status).toBeGreaterThanOrEqual(500);
    expect((await publisher(other).publish(filesOf(2))).body).toMatchObject({ revision: 2 });
    toDatabase.setBlackhole(false);
    await expect.poll(() => readiness(cutOff)).toEqual([200, '']);
    expect((await at(cutOff).get(LIBRARY)).body).toMatchObject({ revision: 2 });
    expect((await publisher(cutOff).publish(filesOf(3))).body).toMatchObject({ revision: 3 });
    for (const service of [cutOff, other]) await reclaim(service.context);
    await expectWhole(3);
  });

  test('from the database during a register does not overwrite what another server publishes next', async () => {
    expect((await publisher(other).publish(filesOf(1))).status).toBe(201);
    await publisher(cutOff).upload(filesOf(2));
    await publisher(cutOff).uploadManifest(manifestOf(filesOf(2)));
    const late = publisher(cutOff).register({ expectedRevision: 1 });
    toDatabase.setBlackhole(true);
    const status = await late.then((answer) => answer.status);
    toDatabase.setBlackhole(false);
    const after = await publisher(other).publish<{ revision: number }>(filesOf(3));
    expect(after.status).toBe(200);
    await expect.poll(() => readiness(cutOff)).toEqual([200, '']);
    // Whether the cut came before or after its commit, the revision after it is another one's.
    if (status === 200) expect(after.body.revision).toBe(3);
    for (const service of [cutOff, other]) await reclaim(service.context);
    await expectWhole(3);
  });

  test('from the bucket is not ready, and finishes a push once the bucket is back', async () => {
    expect((await publisher(cutOff).publish(filesOf(1))).status).toBe(201);
    toBucket.setBlackhole(true);
    await expect.poll(() => readiness(cutOff)).toEqual([503, 'The object store cannot be reached.']);
    expect((await at(cutOff).get(LIBRARY)).status).toBe(200);
    const publishing = publisher(cutOff).publish(filesOf(2));
    toBucket.setBlackhole(false);
    expect((await publishing).body).toMatchObject({ revision: 2 });
    await expect.poll(() => readiness(cutOff)).toEqual([200, '']);
    await expectWhole(2);
  });
});
