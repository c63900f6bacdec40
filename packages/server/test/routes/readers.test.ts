import { allRoutes, routes } from '@bindery/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { bodyFor, fill, type Identifiers } from './fill.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** Changing routes that are not about the namespace that somebody reads. */
const ELSEWHERE = [
  ...Object.values(routes.login),
  routes.namespaces.createNamespace,
  // Reads, with a body because of its length.
  routes.libraries.presignFiles,
  routes.search.encodeTexts,
  routes.search.findSimilarTo,
  // For the reader alone, and numbers.
  routes.libraries.putFavourite,
  routes.libraries.deleteFavourite,
  routes.libraries.countUses,
  // Publishes nothing.
  routes.proposals.authorizeProposedUploads,
  routes.proposals.openProposal,
  routes.proposals.withdrawProposal,
  routes.proposals.commentOnProposal,
];

/** Everything that a change could leave a trace in. */
const TABLES = [
  'namespaces',
  'memberships',
  'libraries',
  'library_names',
  'releases',
  'upload_receipts',
  'multipart_uploads',
  'projects',
  'project_grants',
  'notes',
  'nodes',
  'bindrs',
  'bindr_members',
  'audit_log',
];

describe.each(databases)('a reader of a namespace, over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let eve: Actor;
  let things: Identifiers;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    eve = await service.member('eve');
    await ada.post('/namespaces', { slug: 'acme' });
  });
  afterAll(() => service.close());

  const at = '/namespaces/acme';
  const everything = () =>
    Promise.all(
      TABLES.map(async (table) => {
        const { rows } = await sql`select * from ${sql.table(table)}`.execute(service.context.db);
        return [table, rows];
      }),
    );
  test('is added by an owner', async () => {
    expect(await ada.put(`${at}/members/eve`, { role: 'reader' })).toMatchObject({
      status: 200,
      body: { userName: 'eve', role: 'reader' },
    });
  });

  test('sees private libraries, projects and Notes there, without permission to change them', async () => {
    const secret = new Publisher(ada, 'acme', 'secret');
    await secret.publish({ 'a/b.txt': 'x' }, { share: true });
    await new Publisher(ada, 'acme', 'trashed').publish({ 'a/b.txt': 'x' });
    await ada.delete(`${at}/libraries/trashed`);
    await ada.post(`${secret.path}/releases`, { name: 'v1' });
    await ada.post(`${at}/projects`, { displayName: 'Lab', slug: 'lab' });
    const note = await ada.post<{ id: string }>(`${at}/notes`, { name: 'Plan', projects: ['lab'] });
    const bindr = await ada.post<{ id: string }>(`${at}/projects/lab/bindrs`, { name: 'Shelf' });
    things = {
      namespace: 'acme',
      name: 'secret',
      assetId: 'a',
      release: 'v1',
      revision: '1',
      proposal: '1',
      uploadId: UNKNOWN_ID,
      userName: 'ada',
      id: UNKNOWN_ID,
      projectSlug: 'lab',
      noteId: note.body.id,
      bindrId: bindr.body.id,
      nodeId: note.body.id,
      webhookId: UNKNOWN_ID,
      invitationId: UNKNOWN_ID,
      deliveryId: UNKNOWN_ID,
    };
    expect((await eve.get(at)).body).toMatchObject({ viewerRole: 'reader' });
    expect((await eve.get(`${at}/members`)).status).toBe(200);
    const library = await eve.get(secret.path);
    expect(library).toMatchObject({ status: 200, body: { viewerCanManage: false } });
    expect(library.body).not.toHaveProperty('shareToken');
    expect((await eve.get(`${at}/libraries`)).body).toMatchObject({
      viewerIsMember: true,
      libraries: [{ name: 'secret' }],
    });
    expect((await eve.get(`${at}/libraries?deleted=true`)).body).toMatchObject({
      libraries: [{ name: 'trashed' }],
    });
    expect((await eve.get(`${at}/projects`)).body).toMatchObject({ canCreate: false });
    expect((await eve.get(`${at}/projects/lab`)).body).toMatchObject({ permissions: { role: 'reader' } });
    expect((await eve.get(`${at}/notes/${things.noteId}`)).status).toBe(200);
    expect((await eve.get('/libraries')).body).toMatchObject({ libraries: [{ name: 'secret' }] });
    expect((await eve.post(`${secret.path}/files-presign`, { paths: ['a/b.txt'] })).status).toBe(200);
  });

  test('is refused by every route that changes something there', async () => {
    const before = await everything();
    const changing = allRoutes.filter(
      ({ method, path }) =>
        method !== 'GET' && !ELSEWHERE.some((other) => other.method === method && other.path === path),
    );
    expect(changing.length).toBeGreaterThan(30);
    for (const route of changing) {
      const { status } = await eve.send(route.method, fill(route.path, things), bodyFor(route));
      // What operators do is a path that is no route, for everybody else.
      expect(status, `${route.method} ${route.path}`).toBe(route.path.startsWith('/admin') ? 404 : 403);
    }
    const others: [string, string, unknown][] = [
      ['DELETE', `${at}/libraries/trashed/purge`, null],
      ['POST', `${at}/libraries/trashed/restore`, null],
      ['POST', `${at}/libraries/new/register`, {}],
      ['POST', `${at}/libraries/new/upload-authorizations`, { files: [{ relativePath: 'a.txt', size: 1 }] }],
      ['PUT', `${at}/members/eve`, { role: 'member' }],
      ['POST', `${at}/notes`, { name: 'Mine', projects: ['lab'] }],
    ];
    for (const [method, path, body] of others) {
      expect((await eve.send(method, path, body)).status, `${method} ${path}`).toBe(403);
    }
    expect((await eve.delete(`${at}/libraries/absent`)).status).toBe(404);
    expect(await everything()).toEqual(before);
  });

  test('can write where a grant allows it, and nowhere else', async () => {
    await ada.put(`${at}/projects/lab/grants/eve`, { role: 'writer' });
    expect((await eve.patch(`${at}/notes/${things.noteId}`, { name: 'Changed' })).status).toBe(200);
    expect((await eve.post(`${at}/notes`, { name: 'Mine' })).status).toBe(403);
    expect((await eve.delete(`${at}/libraries/secret`)).status).toBe(403);
  });

  test('can leave, but the last owner cannot become one', async () => {
    expect(await ada.put(`${at}/members/ada`, { role: 'reader' })).toMatchObject({
      status: 409,
      body: { error: 'last_owner' },
    });
    expect((await eve.delete(`${at}/members/eve`)).status).toBe(204);
    expect((await eve.get(`${at}/libraries/secret`)).status).toBe(404);
  });
});
