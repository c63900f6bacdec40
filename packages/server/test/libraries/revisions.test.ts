import type { LoggedRegister, Manifest } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';

const DAY = 86_400;
const ARMS = '/namespaces/ada/libraries/arms';

describe.each(databases)('revisions by their number on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    await push('first');
    await ada.post(`${ARMS}/releases`, { name: 'v1' });
    await push('second');
    await push('third');
  });
  afterEach(() => service.close());

  async function push(text: string): Promise<void> {
    const assets = [{ id: 'arm', title: `The ${text}`, files: { 'arm/arm.txt': text } }];
    await publish(ada, 'ada/arms', { visibility: 'public', assets });
  }

  const titleAt = async (actor: Actor, revision: string) => {
    const { status, body } = await actor.get<Manifest>(`${ARMS}/manifest?revision=${revision}`);
    return status === 200 ? body.assets[0]?.title : status;
  };

  const readable = async (actor: Actor) => {
    const { body } = await actor.get<{ registers: LoggedRegister[] }>(`${ARMS}/log`);
    return body.registers.map(({ revision, releases, isReadable }) => [revision, releases, isReadable]);
  };

  test('are read by those who manage the library, with their files, until the grace period ends', async () => {
    expect(await Promise.all(['1', '2', '3'].map((one) => titleAt(ada, one)))).toEqual([
      'The first',
      'The second',
      'The third',
    ]);
    const { body: asset } = await ada.get<{ title: string; files: { url: string }[] }>(
      `${ARMS}/assets/arm?revision=2`,
    );
    expect(asset.title).toBe('The second');
    const presigned = await ada.post<{ files: { url: string }[] }>(`${ARMS}/files-presign?revision=2`, {
      paths: ['arm/arm.txt'],
    });
    for (const { files } of [asset, presigned.body])
      expect(await (await fetch(files[0]?.url ?? '')).text()).toBe('second');
    expect(await readable(ada)).toEqual([
      [3, [], true],
      [2, [], true],
      [1, ['v1'], true],
    ]);

    service.advance(2 * DAY);
    expect(await titleAt(ada, '2')).toBe(404);
    await reclaim(service.context);
    expect(await readable(ada)).toEqual([
      [3, [], true],
      [2, [], false],
      [1, ['v1'], true],
    ]);
    expect(await titleAt(ada, '1')).toBe('The first');
    expect(await titleAt(ada, '3')).toBe('The third');
  });

  test('that were replaced are missing for everybody else, like numbers that no revision has', async () => {
    await ada.put('/namespaces/ada/members/rita', { role: 'reader' });
    const others = [service.anonymous, await service.member('bob'), await service.member('rita')];
    for (const actor of others) {
      expect(await Promise.all(['1', '2', '3', '4'].map((one) => titleAt(actor, one)))).toEqual([
        'The first',
        404,
        'The third',
        404,
      ]);
      expect(await readable(actor)).toEqual([
        [3, [], true],
        [2, [], false],
        [1, ['v1'], true],
      ]);
      const hidden = await actor.get(`${ARMS}/assets/arm?revision=2`);
      const missing = await actor.get(`${ARMS}/assets/arm?revision=9`);
      expect([hidden.status, hidden.body.error]).toEqual([missing.status, missing.body.error]);
    }
  });

  test('are missing if the number is none, or not that of the release that is named', async () => {
    expect(await Promise.all(['0', '-1', 'x', '1e0', ''].map((one) => titleAt(ada, one)))).toEqual([
      404, 404, 404, 404, 404,
    ]);
    expect(await titleAt(ada, '1&release=v1')).toBe('The first');
    expect(await titleAt(ada, '2&release=v1')).toBe(404);
  });

  test('go with a library that is moved to the Trash or made private', async () => {
    await ada.post(ARMS, { visibility: 'private' });
    expect(await titleAt(service.anonymous, '1')).toBe(404);
    await ada.delete(ARMS);
    expect(await titleAt(ada, '2')).toBe(404);
  });
});
