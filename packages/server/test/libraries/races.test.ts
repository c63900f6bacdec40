import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ManifestFile, PresignedFile } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher, sha256 } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

interface Manifest {
  assets: { files: ManifestFile[] }[];
}

describe.each(databases)('publishing during pulls, reclaims and purges, on $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;

  async function start(reclaimGraceSeconds: number) {
    service = await startService({ database: await open(), configuration: { reclaimGraceSeconds } });
    robots = new Publisher(await service.member('anna'), 'anna', 'robots');
  }
  beforeEach(() => start(DAY));
  afterEach(() => service.close());

  /** Three files that all say which generation they are of. */
  function generation(number: number): Record<string, string> {
    return { 'a.stl': `a of ${number}`, 'b.stl': `b of ${number}`, 'c.stl': `c of ${number}` };
  }

  async function pathsOfManifest(): Promise<string[]> {
    const { body } = await robots.actor.get<Manifest>(`${robots.path}/manifest`);
    return body.assets.flatMap(({ files }) => files.map(({ path }) => path));
  }

  async function presign(paths: string[]): Promise<PresignedFile[]> {
    const { status, body } = await robots.actor.post<{ files: PresignedFile[] }>(
      `${robots.path}/files-presign`,
      { paths },
    );
    expect(status).toBe(200);
    return body.files;
  }

  async function download({ url, sha256: expected }: PresignedFile): Promise<string> {
    const answer = await fetch(url);
    const text = await answer.text();
    expect({ status: answer.status, sha256: sha256(text) }).toEqual({ status: 200, sha256: expected });
    return text;
  }

  test('slow pulls during many registers miss no file and never mix revisions', async () => {
    const registers = rounds({ short: 40, long: 2_000 });
    await robots.publish(generation(0));
    const paths = await pathsOfManifest();
    let done = false;
    const pulls = Array.from({ length: 4 }, async () => {
      let pulled = 0;
      while (!done) {
        const generations = new Set<string>();
        for (const file of await presign(paths)) {
          await delay(50);
          generations.add((await download(file)).split(' of ')[1] ?? '');
        }
        expect(generations.size).toBe(1);
        pulled += 1;
      }
      return pulled;
    });
    for (let number = 1; number <= registers; number++) {
      if (number % 10 === 0) await robots.publish(generation(number));
      else await robots.register();
      if (number % 25 === 0) await reclaim(service.context);
    }
    done = true;
    for (const pulled of await Promise.all(pulls)) expect(pulled).toBeGreaterThan(0);
    expect((await robots.actor.get(robots.path)).body).toMatchObject({ revision: registers + 1 });
  });

  test('reclaim without a grace period never deletes what a push has just published', async () => {
    await service.close();
    await start(0);
    let done = false;
    const reclaiming = (async () => {
      while (!done) {
        service.advance(1);
        await reclaim(service.context);
        await delay(5);
      }
    })();
    for (let number = 0; number < rounds({ short: 20, long: 500 }); number++) {
      const { status } = await robots.publish({ ...generation(number % 3), 'same.stl': 'always the same' });
      expect([200, 201]).toContain(status);
      for (const file of await presign(await pathsOfManifest())) await download(file);
    }
    done = true;
    await reclaiming;
    service.advance(2 * DAY);
    await reclaim(service.context);
    expect(await storedObjects(join(service.context.configuration.dataDir, 'objects'))).toEqual(
      await referencedObjects(service.context),
    );
  });

  test('files that a push replaces during a reclaim are deleted by the next one', async () => {
    await service.close();
    await start(0);
    await robots.publish(generation(0));
    const { objects } = service.context;
    const promote = objects.promote.bind(objects);
    let ending = Promise.resolve();
    objects.promote = async (...wanted) => {
      objects.promote = promote;
      service.advance(1);
      ending = reclaim(service.context);
      await delay(500);
      return promote(...wanted);
    };
    await robots.publish(generation(1));
    await ending;
    service.advance(2 * DAY);
    await reclaim(service.context);
    expect(await storedObjects(join(service.context.configuration.dataDir, 'objects'))).toEqual(
      await referencedObjects(service.context),
    );
  });

  test('pushes during purges leave the library complete, reuse no revision number and orphan no object', async () => {
    const revisions: number[] = [];
    let done = false;
    const purging = (async () => {
      while (!done) {
        await robots.actor.delete(robots.path);
        await robots.actor.delete(`${robots.path}/purge`);
        await delay(20);
      }
    })();
    for (let number = 0; number < rounds({ short: 20, long: 500 }); number++) {
      try {
        await robots.upload(generation(number));
      } catch {
        // The name was in the Trash just then, or its store went while the bytes came.
        continue;
      }
      const { status, body } = await robots
        .publish(generation(number))
        .catch(() => ({ status: 0, body: {} }));
      if (status === 200 || status === 201) revisions.push(Number((body as { revision: number }).revision));
      else expect([0, 400, 409]).toContain(status);
    }
    done = true;
    await purging;
    expect(revisions.length).toBeGreaterThan(0);
    expect(new Set(revisions).size).toBe(revisions.length);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));

    const last = await robots.publish({ 'a.stl': 'the last' }).catch(() => null);
    if (last?.status === 409) await robots.actor.post(`${robots.path}/restore`);
    for (const file of await presign(await pathsOfManifest())) await download(file);
    service.advance(2 * DAY);
    await reclaim(service.context);
    expect(await storedObjects(join(service.context.configuration.dataDir, 'objects'))).toEqual(
      await referencedObjects(service.context),
    );
  });
});
