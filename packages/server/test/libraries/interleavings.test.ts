import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { ConfirmDeletion, ObjectStore } from '../../src/objects/store.ts';
import { Actor } from '../actor.ts';
import { databases, type TestDatabase } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

interface Action {
  /** Which of the two processes. */
  at: number;
  kind: 'publish' | 'reclaim' | 'purge' | 'release' | 'unrelease' | 'crash';
  contents: string[];
}

const action: fc.Arbitrary<Action> = fc.record({
  at: fc.nat(1),
  kind: fc.constantFrom(
    'publish',
    'publish',
    'publish',
    'reclaim',
    'reclaim',
    'purge',
    'release',
    'release',
    'unrelease',
    'crash',
  ),
  contents: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
});

/** Never a second deletion of the process: it is stopped where it asks whether it may go on. */
const never: ConfirmDeletion = () => new Promise(() => {});

describe.each(databases)('on $name, two processes whose locks have no effect', ({ open }) => {
  let database: TestDatabase;
  let dataDir: string;
  let processes: TestService[];
  /** Before each step that a process takes in the store. */
  let step: (name: string) => Promise<void> = async () => {};

  beforeAll(async () => {
    database = await open();
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-interleavings-'));
    const shared = { db: database.db, close: async () => {} };
    const configuration = { reclaimGraceSeconds: 0 };
    processes = [
      await startService({ database: shared, dataDir, configuration }),
      await startService({ database: shared, dataDir, configuration }),
    ];
    for (const { context } of processes) {
      context.storeLocks.withLock = (_, work) => work();
      takeSteps(context.objects);
    }
  });
  afterAll(async () => {
    for (const service of processes) await service.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  function takeSteps(objects: ObjectStore): void {
    const { promote, write, delete: remove, deleteStore, findAbsent, list } = bound(objects);
    objects.promote = (...given) => step('promote').then(() => promote(...given));
    objects.write = (...given) => step('write').then(() => write(...given));
    objects.deleteStore = (...given) => step('delete store').then(() => deleteStore(...given));
    objects.findAbsent = (...given) => step('absent').then(() => findAbsent(...given));
    objects.list = async function* (...given) {
      await step('list');
      yield* list(...given);
    };
    objects.delete = async (storeId, hashes, confirm) => {
      await step('delete');
      return remove(storeId, hashes, async (some) => {
        await step('confirm');
        const confirmed = await confirm(some);
        await step('confirmed');
        return confirmed;
      });
    };
  }

  function bound(objects: ObjectStore): ObjectStore {
    return new Proxy(objects, {
      get: (target, name: keyof ObjectStore) => {
        const member = target[name];
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  const at = (index: number) => processes[index] as TestService;

  async function publisher(index: number, library: string): Promise<Publisher> {
    const { headers } = await at(0).member('ada');
    return new Publisher(new Actor(at(index).url, headers), 'ada', library);
  }

  /** Where the library is in the Trash or was purged meanwhile, a step before the register is refused. */
  async function publish({ at: index, contents }: Action, library: string): Promise<number> {
    const ada = await publisher(index, library);
    const files = Object.fromEntries(contents.map((content) => [`${content}.stl`, content]));
    return ada.publish(files).then(
      ({ status }) => status,
      () => 409,
    );
  }

  async function purge(index: number, library: string): Promise<number> {
    const { actor, path } = await publisher(index, library);
    await step('trash');
    await actor.delete(path);
    await step('purge');
    return (await actor.delete(`${path}/purge`)).status;
  }

  async function release(index: number, library: string): Promise<number> {
    const { actor, path } = await publisher(index, library);
    return (await actor.post(`${path}/releases`, { name: `v${index}` })).status;
  }

  async function unrelease(index: number, library: string): Promise<number> {
    const { actor, path } = await publisher(index, library);
    return (await actor.delete(`${path}/releases/v${1 - index}`)).status;
  }

  async function runs(wanted: Action, library: string): Promise<number> {
    const { context } = at(wanted.at);
    switch (wanted.kind) {
      case 'publish':
        return publish(wanted, library);
      case 'purge':
        return purge(wanted.at, library);
      case 'release':
        return release(wanted.at, library);
      case 'unrelease':
        return unrelease(wanted.at, library);
      case 'reclaim':
        await reclaim(context);
        return 200;
      case 'crash': {
        const objects = bound(context.objects);
        const crashed = Promise.withResolvers<void>();
        const stopped = new Proxy(objects, {
          get: (target, name: keyof ObjectStore) =>
            name !== 'delete'
              ? target[name]
              : (storeId: string, hashes: string[]) =>
                  target.delete(storeId, hashes, (some) => {
                    crashed.resolve();
                    return never(some);
                  }),
        });
        await Promise.race([crashed.promise, reclaim({ ...context, objects: stopped })]);
        return 200;
      }
    }
  }

  let played = 0;

  /** However the steps of these actions come, no file is lost and in the end none is left. */
  const keepsWhatIsNamed = (anyActions: fc.Arbitrary<Action[]>) =>
    fc.asyncProperty(anyActions, fc.scheduler(), async (actions, scheduler) => {
      const library = `home-${played++}`;
      await publish({ at: 0, kind: 'publish', contents: ['a', 'b'] }, library);
      await publish({ at: 0, kind: 'publish', contents: ['c'] }, library);
      for (const service of processes) service.advance(1);
      step = (name) => scheduler.schedule(Promise.resolve(), name);
      const statuses = await scheduler.waitFor(Promise.all(actions.map((wanted) => runs(wanted, library))));
      step = async () => {};
      expect(statuses.filter((status) => status === 500)).toEqual([]);

      // The pass after a crash: what was out of sight is back, and nothing that is named is missing.
      await reclaim(at(0).context);
      const named = await referencedObjects(at(0).context);
      const stored = new Set(await storedObjects(join(dataDir, 'objects')));
      expect(named.filter((object) => !stored.has(object))).toEqual([]);
      for (const service of processes) service.advance(2 * DAY);
      await reclaim(at(1).context);
      await reclaim(at(0).context);
      expect(await storedObjects(join(dataDir, 'objects'))).toEqual(await referencedObjects(at(1).context));
      expect(await database.db.selectFrom('doomed_objects').selectAll().execute()).toEqual([]);
    });

  test('lose no file and leave no orphan in any order of registers, releases, reclaims, purges and crashes', async () => {
    const property = keepsWhatIsNamed(fc.array(action, { minLength: 2, maxLength: 5 }));
    await fc.assert(property, { numRuns: rounds({ short: 10, long: 2_000 }), endOnFailure: true });
  });

  test('still delete what a reclaim put back because another took over its deletion', async () => {
    const reclaims = [1, 1, 1].map((at): Action => ({ at, kind: 'reclaim', contents: [] }));
    const property = keepsWhatIsNamed(fc.constant(reclaims));
    await fc.assert(property, { numRuns: rounds({ short: 20, long: 1_000 }), endOnFailure: true });
  });
});
