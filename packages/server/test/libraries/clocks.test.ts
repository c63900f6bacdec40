import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { Actor } from '../actor.ts';
import { databases, type TestDatabase } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { manifestOf, Publisher } from './publisher.ts';

const DAY = 86_400;

interface Published {
  revision: number;
}

/** As the specification's own client does: no hash of the manifest, no expected revision. */
describe.each(databases)('on $name, a register publishes the manifest that was uploaded last', ({ open }) => {
  let database: TestDatabase;
  let dataDir: string;
  let service: TestService;
  let other: TestService;

  beforeEach(async () => {
    database = await open();
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-clocks-'));
    service = await startService({ database, dataDir });
    other = await startService({ database: { db: database.db, close: async () => {} }, dataDir });
  });
  afterEach(async () => {
    await other.close();
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const publisher = async ({ url }: TestService) =>
    new Publisher(new Actor(url, (await service.member('ada')).headers), 'ada', 'home');
  async function push(at: TestService, content: string): Promise<number> {
    const { status, body } = await (await publisher(at)).publish<Published>({ 'arm/arm.xml': content });
    expect(status).toBeLessThan(300);
    return body.revision;
  }
  async function published(): Promise<string> {
    const { body } = await (await publisher(service)).actor.get<ReturnType<typeof manifestOf>>(
      '/namespaces/ada/libraries/home/manifest',
    );
    return body.assets[0]?.files[0]?.sha256 ?? 'nothing';
  }
  const hashOf = (content: string) =>
    manifestOf({ 'arm/arm.xml': content }).assets[0]?.files[0]?.sha256 ?? 'nothing';

  test.each([
    ['is five seconds behind', -5],
    ['was set back two days', -2 * DAY],
    ['jumped ahead ten days', 10 * DAY],
  ])('even if the clock of the next process %s', async (_, seconds) => {
    expect(await push(service, 'first')).toBe(1);
    other.advance(seconds);
    expect(await push(other, 'second')).toBe(2);
    expect(await published()).toBe(hashOf('second'));
    expect(await push(service, 'third')).toBe(3);
    expect(await published()).toBe(hashOf('third'));
  });

  test('if two manifests were uploaded through processes with different clocks', async () => {
    await push(service, 'first');
    service.advance(60);
    const [here, there] = await Promise.all([publisher(service), publisher(other)]);
    await here.upload({ 'arm/arm.xml': 'earlier' });
    await here.uploadManifest(manifestOf({ 'arm/arm.xml': 'earlier' }));
    await there.upload({ 'arm/arm.xml': 'later' });
    await there.uploadManifest(manifestOf({ 'arm/arm.xml': 'later' }));
    await here.register();
    expect(await published()).toBe(hashOf('later'));
  });

  test('or asks to upload it again if the clock jumped so far that the upload expired', async () => {
    await push(service, 'first');
    const ada = await publisher(service);
    await ada.upload({ 'arm/arm.xml': 'second' });
    await ada.uploadManifest(manifestOf({ 'arm/arm.xml': 'second' }));
    service.advance(10 * DAY);
    await reclaim(service.context);
    const { status, body } = await ada.register();
    expect([status, body]).toMatchObject([400, { error: 'manifest_missing' }]);
    expect(body.message).toContain('Upload it again');
    expect(await push(service, 'second')).toBe(2);
    expect(await published()).toBe(hashOf('second'));
  });

  test('even if it arrives while another register is running', async () => {
    const here = await publisher(service);
    const total = rounds({ short: 3, long: 200 });
    for (let round = 1; round <= total; round++) {
      const files = { 'arm/arm.xml': `round ${round}` };
      await here.upload(files);
      // A register of what was there before meets the manifest in the middle of its arrival.
      const racing = here.register();
      await here.uploadManifest(manifestOf(files));
      await racing;
      expect((await here.register()).status).toBeLessThan(300);
      expect(await published()).toBe(hashOf(`round ${round}`));
    }
  });
});
