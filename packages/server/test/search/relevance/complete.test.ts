import type { Completions } from '@bindery/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../../test/faults.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish, type WrittenAsset } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';

const asset = (id: string, title: string, tags: string[] = []): WrittenAsset => ({
  id,
  title,
  tags,
  files: { [`${id}/model.stl`]: id },
});

describe.each(databases)('search completion over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      assets: [
        asset('2f85', 'Robotiq 2F-85 gripper', ['gripper', 'two fingers']),
        asset('hand', 'Robot hand', ['Gripper', 'hand']),
        asset('grippy', 'Gripping tape for every hand of a robot', ['tape']),
        asset('grips', 'Grips'),
        asset('cafe', 'Café table'),
        asset('arm_gripper', 'Arm'),
      ],
    });
    await publish(ada, 'ada/secret', { assets: [asset('hidden', 'Gripper of ours', ['gripper', 'grim'])] });
  });
  afterAll(() => service.close());

  const complete = async (actor: Actor, q: string, limit = 8): Promise<Completions> => {
    const { status, body } = await actor.get<Completions>(
      `/search/complete?${new URLSearchParams({ q, limit: String(limit) })}`,
    );
    expect(status).toBe(200);
    return body;
  };
  const ids = ({ names }: Completions) => names.map(({ assetId }) => assetId);

  test('finds assets with the typed words, the last one as a prefix: first in the title, shortest titles first', async () => {
    const { anonymous } = service;
    expect(ids(await complete(anonymous, 'gripp'))).toEqual(['2f85', 'grippy', 'arm_gripper']);
    expect(ids(await complete(anonymous, 'robot ha'))).toEqual(['hand', 'grippy']);
    expect(ids(await complete(anonymous, 'hand '))).toEqual(['hand', 'grippy']);
    expect(ids(await complete(anonymous, 'CAF'))).toEqual(['cafe']);
    expect(ids(await complete(anonymous, 'robot', 1))).toEqual(['hand']);
    expect((await complete(anonymous, 'gripp')).names[2]).toEqual({
      namespace: 'ada',
      library: 'robots',
      assetId: 'arm_gripper',
      title: 'Arm',
    });
  });

  test('finds tags that start with the typed text, in any letter case, and counts their assets', async () => {
    expect((await complete(service.anonymous, 'GRI')).tags).toEqual([{ value: 'Gripper', count: 2 }]);
    expect((await complete(ada, 'gri')).tags).toEqual([
      { value: 'Gripper', count: 3 },
      { value: 'grim', count: 1 },
    ]);
    expect((await complete(service.anonymous, 'two f')).tags).toEqual([{ value: 'two fingers', count: 1 }]);
  });

  test('suggests nothing for a query that is empty or has only stop words or exclusions', async () => {
    for (const q of ['', '   ', '""', '-gripper', 'of the'])
      expect(await complete(service.anonymous, q)).toEqual({ names: [], tags: [] });
  });

  test('suggests the same whatever libraries hidden from the viewer contain', async () => {
    let made = 0;
    const typed = ['g', 'gr', 'gripp', 'robot h', 'ha', 't', 'arm', 'secr'];
    const hidden = fc.array(
      fc.record({
        title: fc.constantFrom('Gripper', 'Hand', 'Arm secret', 'Robot hand'),
        tags: fc.subarray(['gripper', 'GRIPPER', 'hand', 'secret']),
      }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(hidden, async (secrets) => {
        const before = await Promise.all(typed.map((q) => complete(service.anonymous, q)));
        await publish(ada, `ada/hidden-${made++}`, {
          assets: secrets.map(({ title, tags }, at) => asset(`s-${at}`, title, tags)),
        });
        expect(await Promise.all(typed.map((q) => complete(service.anonymous, q)))).toEqual(before);
      }),
      { numRuns: rounds({ short: 3, long: 50 }) },
    );
  });
});
