import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moveToPostgres } from '../src/adapters/database/move-to-postgres.ts';
import type { Actor } from './actor.ts';
import { databases, type LocatedDatabase, openTestSqlite } from './databases.ts';
import { Publisher } from './libraries/publisher.ts';
import { startService, type TestService } from './service.ts';

const postgres = databases.find(({ name }) => name === 'PostgreSQL');

describe.skipIf(!postgres)('a service that moves from SQLite to PostgreSQL', () => {
  let folder: string;
  let sqlite: LocatedDatabase;
  let target: LocatedDatabase;
  let service: TestService | null = null;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-move-'));
    sqlite = await openTestSqlite();
    target = (await postgres?.open()) ?? sqlite;
  });
  afterEach(async () => {
    await service?.close();
    service = null;
    await target.close();
    await sqlite.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function serve({ db }: LocatedDatabase): Promise<TestService> {
    service = await startService({ database: { db, close: async () => {} }, dataDir: join(folder, 'data') });
    return service;
  }

  async function stop(): Promise<void> {
    await service?.close();
    service = null;
  }

  /** Libraries with a release, and Bindrs that lie in ones that were made after them. */
  async function fill(): Promise<Actor> {
    const { member } = await serve(sqlite);
    const ada = await member('ada');
    const robots = new Publisher(ada, 'ada', 'robots');
    await robots.publish({ 'a/b.txt': 'first' });
    await ada.post(`${robots.path}/releases`, { name: 'v1', notes: 'Ünïcode 田中' });
    await robots.publish({ 'a/b.txt': 'second' }, { share: true });
    const lab = '/namespaces/ada/projects/lab';
    await ada.post('/namespaces/ada/projects', { displayName: 'Lab', slug: 'lab' });
    const made = async (name: string) => String((await ada.post(`${lab}/bindrs`, { name })).body.id);
    const [inner, middle, outer] = [await made('inner'), await made('middle'), await made('outer')];
    await ada.patch(`${lab}/bindrs/${inner}`, { parentId: middle });
    await ada.patch(`${lab}/bindrs/${middle}`, { parentId: outer });
    return ada;
  }

  const PAGES = [
    '/namespaces/ada/libraries/robots',
    '/namespaces/ada/libraries/robots/manifest',
    '/namespaces/ada/libraries/robots/releases',
    '/namespaces/ada/libraries/robots/log',
    '/namespaces/ada/projects/lab/bindrs?view=choices',
    '/namespaces/ada/audit',
  ];

  async function answersOf({ headers }: Actor): Promise<unknown[]> {
    const answers = [];
    for (const page of PAGES) {
      const response = await fetch(`${service?.url}${page}`, { headers });
      expect(response.status, page).toBe(200);
      answers.push(lasting(await response.text()));
    }
    return answers;
  }

  test('returns the same responses to the same tokens, and publishes the next revision', async () => {
    const ada = await fill();
    const before = await answersOf(ada);
    await stop();
    const moved = await moveToPostgres(sqlite.db, target.db);
    expect(moved).toContainEqual({ table: 'bindrs', rows: 3 });
    expect(moved).toContainEqual({ table: 'libraries', rows: 1 });
    const { anonymous } = await serve(target);
    expect(await answersOf(ada)).toEqual(before);
    const robots = new Publisher(anonymous.with(ada.headers), 'ada', 'robots');
    expect((await robots.publish({ 'a/b.txt': 'third' })).body).toMatchObject({ revision: 3 });
  });

  test('leaves PostgreSQL empty if one row cannot be moved, and moves on the second try', async () => {
    await fill();
    await stop();
    // PostgreSQL keeps no U+0000 in text.
    await sqlite.db.insertInto('settings').values({ key: 'zz', value: 'a\0b' }).execute();
    await expect(moveToPostgres(sqlite.db, target.db)).rejects.toThrow();
    expect(await target.db.selectFrom('accounts').selectAll().execute()).toEqual([]);
    await sqlite.db.deleteFrom('settings').where('key', '=', 'zz').execute();
    await moveToPostgres(sqlite.db, target.db);
    expect(await target.db.selectFrom('accounts').selectAll().execute()).toHaveLength(1);
  });

  test('refuses a PostgreSQL database that is not empty, and changes nothing in it', async () => {
    await fill();
    await stop();
    await target.db.insertInto('settings').values({ key: 'motto', value: 'mine' }).execute();
    await expect(moveToPostgres(sqlite.db, target.db)).rejects.toThrow(/is not empty.*settings/);
    expect(await target.db.selectFrom('settings').selectAll().execute()).toEqual([
      { key: 'motto', value: 'mine' },
    ]);
  });

  test('leaves the SQLite database as it was', async () => {
    const ada = await fill();
    const before = await answersOf(ada);
    await stop();
    await moveToPostgres(sqlite.db, target.db);
    await serve(sqlite);
    expect(await answersOf(ada)).toEqual(before);
  });
});

/** Presigned URLs name the port of the service, and cursors the time. */
function lasting(text: string): string {
  return text.replaceAll(/http:\/\/[^"]*|"endCursor":"[^"]*"/g, '');
}
