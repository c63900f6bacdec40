import {
  LIMITS,
  type LibraryDetail,
  type LibraryHistory,
  type Manifest,
  type Release,
} from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fsck } from '../../src/objects/health/fsck.ts';
import { collectGarbage } from '../../src/objects/retention/reclaim.ts';
import { emptySurvey, surveyStore } from '../../src/objects/retention/survey.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { publish } from './publish.ts';

const DAY = 86_400;
const ARMS = '/namespaces/ada/libraries/arms';

describe.each(databases)('the history of a library on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let eve: Actor;

  beforeEach(async () => {
    service = await startService({ database: await open(), configuration: { historyDays: 30 } });
    [ada, eve] = [await service.member('ada'), await service.member('eve')];
    for (const text of ['first', 'second', 'third']) await push(text);
  });
  afterEach(() => service.close());

  const push = (text: string) =>
    publish(ada, 'ada/arms', {
      visibility: 'public',
      library: { title: `Arms, ${text}` },
      assets: [{ id: 'arm', title: `The ${text}`, files: { 'arm/arm.txt': text, 'arm/same.txt': 'same' } }],
      generated: { '.bindery/source/README.md': `# ${text}` },
    });

  async function titleAt(actor: Actor, query = ''): Promise<unknown> {
    const { status, body } = await actor.get<Manifest>(`${ARMS}/manifest${query}`);
    return status === 200 ? body.assets[0]?.title : status;
  }

  async function textAt(path: string, query = ''): Promise<string> {
    const { body } = await ada.post<{ files: { url: string }[] }>(`${ARMS}/files-presign${query}`, {
      paths: [path],
    });
    return (await fetch(body.files[0]?.url ?? '')).text();
  }

  const history = async () => (await ada.get<LibraryHistory>(`${ARMS}/history`)).body;
  const restore = (actor: Actor, revision: number, body: object = {}) =>
    actor.post<LibraryDetail & { error: string }>(`${ARMS}/revisions/${revision}/restore`, body);

  test('is read by those who manage it for its days, whatever is collected meanwhile, and by nobody else', async () => {
    service.advance(29 * DAY);
    await collectGarbage(service.context);
    expect(await titleAt(ada, '?revision=1')).toBe('The first');
    expect(await textAt('arm/arm.txt', '?revision=1')).toBe('first');
    expect(await titleAt(eve, '?revision=1')).toBe(404);
    expect(await titleAt(eve, '?revision=9')).toBe(404);
    expect(await history()).toMatchObject({ days: 30, revisions: 2 });

    service.advance(2 * DAY);
    expect(await titleAt(ada, '?revision=1')).toBe(404);
    expect((await collectGarbage(service.context)).objects).toBeGreaterThan(4);
    expect(await history()).toEqual({ days: 30, revisions: 0, objects: 0, bytes: 0 });
    expect(await textAt('arm/same.txt')).toBe('same');
  });

  test('comes back as a new revision with everything that the earlier one had', async () => {
    expect(await restore(ada, 1)).toMatchObject({ status: 200, body: { revision: 4, title: 'Arms, first' } });
    expect(await titleAt(eve)).toBe('The first');
    expect(await textAt('arm/arm.txt')).toBe('first');
    expect(await textAt('.bindery/source/README.md')).toBe('# first');
    const { body } = await ada.get<{ registers: object[] }>(`${ARMS}/log`);
    expect(body.registers[0]).toMatchObject({ revision: 4, registeredBy: 'ada', assetsChanged: 1 });
    service.advance(40 * DAY);
    await collectGarbage(service.context);
    expect(await textAt('arm/arm.txt')).toBe('first');
    expect((await fsck(service.context, { readShare: 1, repair: false })).findings).toEqual([]);
  });

  test('is restored by members alone, of what is kept, and as long as nobody publishes meanwhile', async () => {
    expect(await restore(eve, 1)).toMatchObject({ status: 403 });
    expect(await restore(ada, 9)).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect(await restore(ada, 3)).toMatchObject({ status: 409, body: { error: 'revision_conflict' } });
    expect(await restore(ada, 1, { expectedRevision: 2 })).toMatchObject({
      status: 409,
      body: { error: 'revision_conflict', revision: 3 },
    });
    expect((await eve.get(`${ARMS}/history`)).status).toBe(403);
    await ada.post(ARMS, { visibility: 'private' });
    const answers = [await restore(eve, 1), await eve.post(`${ARMS}s/revisions/1/restore`, {})];
    const [hidden, missing] = answers.map(({ status, body }) => ({ status, ...body, requestId: null }));
    expect(hidden).toEqual(missing);
    service.advance(31 * DAY);
    expect(await restore(ada, 1)).toMatchObject({ status: 404 });
  });

  test('can be released, and stays then', async () => {
    const { status, body } = await ada.post<Release>(`${ARMS}/releases`, { name: 'v1', revision: 2 });
    expect([status, body]).toMatchObject([201, { revision: 2, fileCount: 2 }]);
    service.advance(31 * DAY);
    await collectGarbage(service.context);
    expect(await titleAt(eve, '?release=v1')).toBe('The second');
    expect(await textAt('arm/arm.txt', '?release=v1')).toBe('second');
    const { body: released } = await eve.get<LibraryDetail>(`${ARMS}?release=v1`);
    expect(released).toMatchObject({ title: 'Arms, second', revision: 2 });
    expect(await ada.post(`${ARMS}/releases`, { name: 'v0', revision: 1 })).toMatchObject({
      status: 409,
      body: { error: 'revision_conflict' },
    });
  });

  test('costs what nothing else has, and counts as replaced in a survey, but not in the quota', async () => {
    const kept = await history();
    await ada.post(`${ARMS}/releases`, { name: 'v2', revision: 2 });
    const less = await history();
    expect(less.objects).toBeLessThan(kept.objects);
    const row = await service.context.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
    const survey = emptySurvey();
    await surveyStore(service.context, row.store_id, survey);
    expect(survey.replaced).toEqual({ objects: less.objects, bytes: less.bytes });
    service.advance(5 * DAY);
    expect((await collectGarbage(service.context)).objects).toBe(0);
  });

  test('with a damaged index neither stops collections nor is lost', async () => {
    const { db, objects } = service.context;
    const row = await db
      .selectFrom('retired_revisions')
      .selectAll()
      .where('revision', '=', 1)
      .executeTakeFirstOrThrow();
    await objects.delete(row.store_id, [row.index_sha256], async (some) => new Set(some));
    service.advance(2 * DAY);
    await push('fourth');
    await collectGarbage(service.context);
    await collectGarbage(service.context);
    expect(await restore(ada, 1)).toMatchObject({ status: 200 });
    expect(await textAt('arm/arm.txt')).toBe('first');
  });

  test('is no longer than the log', async () => {
    await service.context.db
      .updateTable('library_names')
      .set((eb) => ({ last_revision: eb('last_revision', '+', LIMITS.loggedRegisters) }))
      .execute();
    service.advance(2 * DAY);
    expect(await titleAt(ada, '?revision=2')).toBe(404);
    expect((await collectGarbage(service.context)).objects).toBeGreaterThan(4);
  });
});
