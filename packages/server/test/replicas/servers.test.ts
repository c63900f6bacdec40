import { mkdtemp, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/adapters/database/postgres.ts';
import { differencesOf, runningServers, type ServerState } from '../../src/cluster/cluster.ts';
import { diagnoseServers } from '../../src/operations/diagnoses.ts';
import { type Encoder, NO_ENCODER } from '../../src/search/encoder.ts';
import type { LocatedDatabase } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { postgres } from './replicas.ts';

const encoding = (model: string | null): Encoder => ({ ...NO_ENCODER, model });

describe.skipIf(postgres === null)('servers over one database', () => {
  let database: LocatedDatabase;
  let folder: string;
  let services: TestService[];

  beforeEach(async () => {
    if (!postgres) return;
    database = await postgres.open();
    folder = await mkdtemp(join(tmpdir(), 'bindery-servers-'));
    services = [];
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function start({ dataDir = folder, model = null as string | null } = {}): Promise<TestService> {
    const db = openPostgres(database.location);
    const service = await startService({
      database: { db, close: () => db.destroy() },
      dataDir,
      encoder: encoding(model),
      configuration: { databaseUrl: database.location },
    });
    services.push(service);
    return service;
  }

  async function end(service: TestService): Promise<void> {
    services = services.filter((one) => one !== service);
    await service.close();
  }

  const readiness = async ({ anonymous }: TestService) => {
    const { status, body } = await anonymous.get<{ message?: string }>('/readyz');
    return [status, body.message ?? ''];
  };
  const said = async () => diagnoseServers(await runningServers(database.db));

  test('are all ready if they are alike, and an operator sees how many there are', async () => {
    const [one, other] = [await start({ model: 'a/b/c' }), await start({ model: 'a/b/c' })];
    expect([await readiness(one), await readiness(other)]).toEqual([
      [200, ''],
      [200, ''],
    ]);
    expect(await said()).toMatchObject({ status: 'ok', message: expect.stringContaining('2 servers run') });
    await end(other);
    expect(await said()).toMatchObject({
      message: expect.stringContaining(`1 server runs over this database: ${hostname()}`),
    });
  });

  test('with different object locations: the later one is not ready until the other stops', async () => {
    const one = await start();
    const other = await start({ dataDir: join(folder, 'elsewhere') });
    expect(await readiness(one)).toEqual([200, '']);
    expect(await readiness(other)).toEqual([503, expect.stringContaining('BINDERY_OBJECTS')]);
    expect(await said()).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('BINDERY_OBJECTS'),
    });
    await end(one);
    expect(await readiness(other)).toEqual([200, '']);
  });

  test('stop counting without a recent sign of life, and count again after the next one', async () => {
    const one = await start();
    const other = await start({ dataDir: join(folder, 'elsewhere') });
    await database.db
      .updateTable('servers')
      .set((eb) => ({ seen_at: eb('seen_at', '-', 21_000) }))
      .execute();
    expect(await readiness(other)).toEqual([200, '']);
    // Signs of life come every few seconds.
    await expect.poll(() => readiness(other)).toEqual([503, expect.any(String)]);
    await end(one);
  });

  test('with another query model than the first one, or with none, are not ready', async () => {
    const none = await start();
    expect(await readiness(none)).toEqual([200, '']);
    const one = await start({ model: 'a/b/c' });
    const other = await start({ model: 'x/y/z' });
    expect(await readiness(one)).toEqual([200, '']);
    for (const service of [none, other]) {
      expect(await readiness(service)).toEqual([503, expect.stringContaining('BINDERY_ENCODER')]);
    }
  });

  test('with a wrong clock are not ready, even if they started first', async () => {
    const one = await start();
    const other = await start();
    one.advance(45);
    await expect.poll(() => readiness(one)).toEqual([503, expect.stringContaining('clock')]);
    expect(await readiness(other)).toEqual([200, '']);
    expect(await said()).toMatchObject({ status: 'failed' });
    one.advance(-45);
    await expect.poll(() => readiness(one)).toEqual([200, '']);
  });

  test('that are stopping are not ready, but still serve requests', async () => {
    const one = await start();
    await one.drain();
    expect(await readiness(one)).toEqual([503, 'This process is stopping.']);
    expect((await one.anonymous.get('/libraries')).status).toBe(200);
  });
});

test('of any set of servers at least one is ready, and all ready ones share a store and a model', () => {
  const state: fc.Arbitrary<Omit<ServerState, 'id'>> = fc.record({
    store: fc.constantFrom('s3://a', 's3://b'),
    model: fc.constantFrom(null, 'a/b/c', 'x/y/z'),
    skew: fc.constantFrom(-90_000, -40_000, -10_000, 0, 12_000, 14_000, 31_000, 60_000),
    startedAt: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(fc.array(state, { minLength: 1, maxLength: 6 }), (states) => {
      const servers = states.map((one, at) => ({ ...one, id: String(at) }));
      const ready = servers.filter((server) => {
        const others = servers.filter(({ id }) => id !== server.id);
        return differencesOf(server, others, { encodes: true }).length === 0;
      });
      expect(ready.length).toBeGreaterThan(0);
      expect(new Set(ready.map(({ store, model }) => `${store} ${model}`)).size).toBe(1);
    }),
  );
});
