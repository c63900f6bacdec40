import { join } from 'node:path';
import type { ManifestFile, PresignedFile } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

interface Manifest {
  assets: { files: ManifestFile[] }[];
}

describe.each(databases)('releasing during pushes and reclaims, on $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;
  /** What each release that stands is known to hold. */
  let standing: Map<string, Record<string, string>>;

  beforeEach(async () => {
    service = await startService({ database: await open(), configuration: { reclaimGraceSeconds: 0 } });
    robots = new Publisher(await service.member('anna'), 'anna', 'robots');
    standing = new Map();
  });
  afterEach(() => service.close());

  /** Files of which some are in every generation, some in every third, and some in one. */
  function generation(number: number): Record<string, string> {
    return { 'a.stl': `a of ${number}`, 'b.stl': `b of ${number % 3}`, 'same.stl': 'always the same' };
  }

  async function release(name: string): Promise<{ status: number; revision: number }> {
    const { status, body } = await robots.actor.post<{ revision: number }>(`${robots.path}/releases`, {
      name,
    });
    return { status, revision: body.revision };
  }

  async function contentOf(name: string): Promise<Record<string, string>> {
    const query = `?release=${name}`;
    const { status, body } = await robots.actor.get<Manifest>(`${robots.path}/manifest${query}`);
    expect({ name, status, body }).toMatchObject({ name, status: 200 });
    const paths = body.assets.flatMap(({ files }) => files.map(({ path }) => path));
    const presigned = await robots.actor.post<{ files: PresignedFile[] }>(
      `${robots.path}/files-presign${query}`,
      { paths },
    );
    expect(presigned.status).toBe(200);
    const read = presigned.body.files.map(async ({ path, url }) => [path, await (await fetch(url)).text()]);
    return Object.fromEntries(await Promise.all(read));
  }

  /** Reclaims again and again while `work` goes on. */
  async function whileReclaiming(work: () => Promise<void>): Promise<void> {
    let done = false;
    const reclaiming = (async () => {
      while (!done) {
        service.advance(1);
        await reclaim(service.context);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await work().finally(async () => {
      done = true;
      await reclaiming;
    });
  }

  async function expectAllWhole(): Promise<void> {
    for (const [name, content] of standing) expect([name, await contentOf(name)]).toEqual([name, content]);
  }

  test('keeps every byte of every release, whatever else is released, deleted, pushed and reclaimed', async () => {
    await whileReclaiming(async () => {
      for (let number = 1; number <= rounds({ short: 12, long: 500 }); number++) {
        const { body } = await robots.publish<{ revision: number }>(generation(number));
        const made = await release(`r${number}`);
        expect(made).toEqual({ status: 201, revision: body.revision });
        standing.set(`r${number}`, generation(number));
        if (number % 3 === 0) {
          const [oldest = ''] = standing.keys();
          standing.delete(oldest);
          expect((await robots.actor.delete(`${robots.path}/releases/${oldest}`)).status).toBe(204);
        }
        await expectAllWhole();
      }
    });
    await robots.publish(generation(0));
    service.advance(2 * DAY);
    await reclaim(service.context);
    await expectAllWhole();
    expect(await storedObjects(join(service.context.configuration.dataDir, 'objects'))).toEqual(
      await referencedObjects(service.context),
    );
  });

  test('names the old or the new revision, complete, if a push commits at the same time', async () => {
    const contents = new Map<number, Record<string, string>>();
    const push = async (number: number) => {
      const { body } = await robots.publish<{ revision: number }>(generation(number));
      contents.set(body.revision, generation(number));
    };
    await push(0);
    await whileReclaiming(async () => {
      for (let number = 1; number <= rounds({ short: 10, long: 500 }); number++) {
        const [, made] = await Promise.all([push(number), release(`r${number}`)]);
        expect(made.status).toBe(201);
        expect([number, number + 1]).toContain(made.revision);
        standing.set(`r${number}`, contents.get(made.revision) ?? {});
      }
      await expectAllWhole();
    });
    await expectAllWhole();
  });
});
