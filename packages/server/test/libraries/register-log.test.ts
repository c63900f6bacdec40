import { LIMITS, type LoggedRegister } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish, type WrittenAsset } from './publish.ts';

interface Log {
  registers: LoggedRegister[];
}

describe.each(databases)('the register log of a library on $name', ({ open }) => {
  let service: TestService;
  const base = '/namespaces/ada/libraries/arms';

  beforeEach(async () => {
    service = await startService({ database: await open() });
  });
  afterEach(() => service.close());

  const asset = (id: string, text: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
    id,
    files: { [`${id}/${id}.txt`]: text },
    ...more,
  });

  test('lists what each register changed, newest first, and shows who made it only to members', async () => {
    const ada = await service.member('ada');
    const bob = await service.member('bob');
    await ada.put('/namespaces/ada/members/bob', { role: 'member' });
    await publish(ada, 'ada/arms', { assets: [asset('arm', 'one'), asset('cup', 'two')] });
    await publish(bob, 'ada/arms', {
      assets: [asset('arm', 'other'), asset('cup', 'two', { title: 'Cup' }), asset('box', 'three')],
    });
    await publish(ada, 'ada/arms', { assets: [asset('box', 'three')] });
    const { body } = await ada.get<Log>(`${base}/log`);
    expect(body.registers).toMatchObject([
      { revision: 3, registeredBy: 'ada', assetsAdded: 0, assetsRemoved: 2, assetsChanged: 0, assetCount: 1 },
      { revision: 2, registeredBy: 'bob', assetsAdded: 1, assetsRemoved: 0, assetsChanged: 2, assetCount: 3 },
      { revision: 1, registeredBy: 'ada', assetsAdded: 2, assetsRemoved: 0, assetsChanged: 0, totalBytes: 6 },
    ]);

    await ada.post(base, { visibility: 'public' });
    const seen = await service.anonymous.get<Log>(`${base}/log`);
    expect(seen.body.registers.map(({ registeredBy }) => registeredBy)).toEqual([null, null, null]);
  });

  test('keeps a limited number of registers', async () => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/arms', { assets: [asset('arm', 'one')] });
    const { db } = service.context;
    await db.updateTable('library_names').set({ last_revision: LIMITS.loggedRegisters }).execute();
    await db.updateTable('libraries').set({ revision: LIMITS.loggedRegisters }).execute();
    await publish(ada, 'ada/arms', { assets: [asset('arm', 'two')] });
    const { body } = await ada.get<Log>(`${base}/log`);
    expect(body.registers.map(({ revision }) => revision)).toEqual([LIMITS.loggedRegisters + 1]);
  });

  test('is deleted by a purge', async () => {
    const ada = await service.member('ada');
    await publish(ada, 'ada/arms', { assets: [asset('arm', 'one')] });
    await ada.delete(base);
    expect((await ada.get(`${base}/log`)).status).toBe(404);
    await ada.delete(`${base}/purge`);
    expect(await service.context.db.selectFrom('register_log').selectAll().execute()).toEqual([]);
  });
});
