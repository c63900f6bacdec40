import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/schema.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';

/** Milliseconds in which a request gets as far as it can; on a slower machine the test sees less, and never fails. */
const ON_ITS_WAY = 150;

describe.each(databases)('a request whose sender loses permission during it, over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;
  let teams = 0;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bob = await service.member('bob');
    await service.stranger();
  });
  afterAll(() => service.close());

  interface Team {
    path: string;
    note: string;
  }

  /** Ada's team with bob in it, and a library, a project and a Note of the team. */
  async function makeTeam(role: 'owner' | 'member'): Promise<Team> {
    const slug = `team-${++teams}`;
    const path = `/namespaces/${slug}`;
    await ada.post('/namespaces', { slug });
    await ada.put(`${path}/members/bob`, { role });
    await ada.post(`${path}/projects`, { displayName: 'Lab', slug: 'lab' });
    const note = await ada.post<{ id: string }>(`${path}/notes`, { name: 'Plan', projects: ['lab'] });
    await new Publisher(ada, slug, 'robots').publish({ 'arm/arm.xml': slug });
    return { path, note: note.body.id };
  }

  /** The status of bob's request that began before his membership was changed and could not write until it was. */
  async function statusOf(
    { path }: Team,
    role: 'member' | 'reader' | null,
    request: () => Promise<{ status: number }>,
  ): Promise<number> {
    const answer = await service.context.db.transaction().execute(async (trx) => {
      await setRole(trx, path.split('/')[2] ?? '', role);
      const begun = request();
      await Promise.race([begun, delay(ON_ITS_WAY)]);
      return { begun };
    });
    return (await answer.begun).status;
  }

  /** As `putMember` and `removeMember` do it. */
  async function setRole(trx: Database, slug: string, role: 'member' | 'reader' | null): Promise<void> {
    const { id } = await trx
      .updateTable('namespaces')
      .set((eb) => ({ display_name: eb.ref('display_name') }))
      .where('slug', '=', slug)
      .returning('id')
      .executeTakeFirstOrThrow();
    const bobs = trx.selectFrom('accounts').select('id').where('user_name', '=', 'bob');
    if (role === null) {
      await trx
        .deleteFrom('memberships')
        .where('namespace_id', '=', id)
        .where('account_id', 'in', bobs)
        .execute();
    } else {
      await trx
        .updateTable('memberships')
        .set({ role })
        .where('namespace_id', '=', id)
        .where('account_id', 'in', bobs)
        .execute();
    }
  }

  test.each<[string, (team: Team) => Promise<{ status: number }>]>([
    ['adds a member', ({ path }) => bob.put(`${path}/members/stranger`, { role: 'owner' })],
    ['restores their own owner role', ({ path }) => bob.put(`${path}/members/bob`, { role: 'owner' })],
    ['removes a member', ({ path }) => bob.delete(`${path}/members/ada`)],
    ['renames the namespace', ({ path }) => bob.patch(path, { displayName: 'Mine' })],
    ['grants a role', ({ path }) => bob.put(`${path}/projects/lab/grants/stranger`, { role: 'admin' })],
    ['changes a project', ({ path }) => bob.patch(`${path}/projects/lab`, { displayName: 'Mine' })],
    ['deletes a project', ({ path }) => bob.delete(`${path}/projects/lab`)],
  ])('an owner who was demoted no longer %s', async (_what, request) => {
    const team = await makeTeam('owner');
    expect(await statusOf(team, 'member', () => request(team))).toBe(403);
    expect((await ada.get(`${team.path}/members`)).body).toEqual({
      members: [
        { userName: 'ada', role: 'owner' },
        { userName: 'bob', role: 'member' },
      ],
    });
    expect((await ada.get(`${team.path}/projects/lab`)).body).toMatchObject({ displayName: 'Lab' });
    expect((await ada.get(team.path)).body).not.toMatchObject({ displayName: 'Mine' });
  });

  const WRITES: [string, (team: Team) => Promise<{ status: number }>][] = [
    ['creates a project', ({ path }) => bob.post(`${path}/projects`, { displayName: 'Mine' })],
    ['creates a Note', ({ path }) => bob.post(`${path}/notes`, { name: 'Mine' })],
    ['renames a Note', ({ path, note }) => bob.patch(`${path}/notes/${note}`, { name: 'Mine' })],
    ['deletes a Note', ({ path, note }) => bob.delete(`${path}/notes/${note}`)],
    ['makes a library public', ({ path }) => bob.post(`${path}/libraries/robots`, { visibility: 'public' })],
    ['deletes a library', ({ path }) => bob.delete(`${path}/libraries/robots`)],
    ['registers a library', ({ path }) => bob.post(`${path}/libraries/robots/register`, {})],
  ];
  const LOSSES = [
    { loss: 'removed', role: null, status: 404 },
    { loss: 'demoted to reader', role: 'reader', status: 403 },
  ] as const;
  test.each(LOSSES.flatMap((loss) => WRITES.map(([what, request]) => ({ ...loss, what, request }))))(
    'a member who was $loss no longer $what',
    async ({ role, status, request }) => {
      const team = await makeTeam('member');
      expect(await statusOf(team, role, () => request(team))).toBe(status);
      expect((await ada.get(`${team.path}/notes/${team.note}`)).body).toMatchObject({ name: 'Plan' });
      expect((await ada.get(`${team.path}/notes`)).body).toMatchObject({ total: 1 });
      expect((await ada.get(`${team.path}/libraries/robots`)).body).toMatchObject({
        revision: 1,
        visibility: 'private',
      });
    },
  );

  test('a writer whose grant was reduced to reader no longer renames a Note', async () => {
    const { path, note } = await makeTeam('member');
    const stranger = await service.stranger();
    await ada.put(`${path}/projects/lab/grants/stranger`, { role: 'writer' });
    const answer = await service.context.db.transaction().execute(async (trx) => {
      const strangers = trx.selectFrom('accounts').select('id').where('user_name', '=', 'stranger');
      await trx
        .updateTable('project_grants')
        .set({ role: 'reader' })
        .where('account_id', 'in', strangers)
        .execute();
      const begun = stranger.patch(`${path}/notes/${note}`, { name: 'Mine' });
      await Promise.race([begun, delay(ON_ITS_WAY)]);
      return { begun };
    });
    expect((await answer.begun).status).toBe(403);
    expect((await ada.get(`${path}/notes/${note}`)).body).toMatchObject({ name: 'Plan' });
  });
});
