import { LIMITS, type ManifestChanges, type Proposal, type Transfer } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storedLibraries } from '../../src/backup/library-objects.ts';
import { collectGarbage } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher, sha256 } from './publisher.ts';

const DAY = 86_400;
const FILES = { 'arm/a.stl': 'arm', 'base/b.stl': 'base' };
const TEXT = JSON.stringify(manifestOf(FILES));

describe.each(databases)('proposals over $name', ({ open }) => {
  let service: TestService;
  let ann: Actor;
  let ben: Actor;
  let robots: Publisher;
  let path: string;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    [ann, ben] = [await service.member('ann'), await service.member('ben')];
    await ann.post('/namespaces', { slug: 'lab' });
    await ann.put('/namespaces/lab/members/ben', { role: 'reader' });
    robots = new Publisher(ann, 'lab', 'robots');
    await robots.publish(FILES);
    path = `${robots.path}/proposals`;
  });
  afterEach(() => service.close());

  /** Sends a file as Ben, for a proposal. */
  async function send(file: string, content: string) {
    const relativePath = file;
    const { body } = await ben.post<{ files: { relativePath: string; transfer: Transfer }[] }>(
      `${path}/upload-authorizations`,
      { files: [{ relativePath, size: content.length, sha256: sha256(content) }] },
    );
    expect(body.files[0]?.relativePath).toBe(file);
    const transfer = body.files[0]?.transfer;
    if (transfer?.kind !== 'single-put') return;
    const { url, headers } = transfer.put;
    await exchange(url, { method: 'PUT', headers, body: Buffer.from(content) });
  }

  const opened = (changes: Omit<ManifestChanges, 'base'>, title = 'Change', base = sha256(TEXT)) =>
    ben.post<Proposal>(path, { title, changes: { base, ...changes } });

  async function proposeArm(content: string, base?: string) {
    await send('arm/a.stl', content);
    return opened(
      { assets: [{ id: 'arm', files: [fileEntry('arm/a.stl', content)] }] } as never,
      content,
      base,
    );
  }

  async function isStored(content: string): Promise<boolean> {
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .executeTakeFirstOrThrow();
    return (await service.context.objects.size({ storeId, sha256: sha256(content) })) !== null;
  }

  test('keep their files for as long as they are open, and a grace period after they are refused', async () => {
    expect(await proposeArm('kept')).toMatchObject({
      status: 201,
      body: { number: 1, state: 'open', base: 1 },
    });
    await proposeArm('refused');
    service.advance(9 * DAY);
    await collectGarbage(service.context);
    expect([await isStored('kept'), await isStored('refused')]).toEqual([true, true]);
    expect(await ann.post(`${path}/2/refuse`)).toMatchObject({ status: 200, body: { state: 'refused' } });
    service.advance(9 * DAY);
    await collectGarbage(service.context);
    expect([await isStored('kept'), await isStored('refused')]).toEqual([true, false]);
    const [library] = await storedLibraries(service.context.db);
    expect(library?.revisions).toHaveLength(2);
    expect(await ann.post(`${path}/1/accept`)).toMatchObject({ status: 200, body: { revision: 2 } });
    await collectGarbage(service.context);
    expect(await isStored('kept')).toBe(true);
  });

  test('survive a pass of a server that does not know of them', async () => {
    await proposeArm('kept');
    const { db, clock } = service.context;
    const { store_id } = await db.selectFrom('libraries').select('store_id').executeTakeFirstOrThrow();
    const doomed = {
      store_id,
      sha256: sha256('kept'),
      state: 'pending' as const,
      since: clock(),
      deleter: null,
    };
    await db.insertInto('doomed_objects').values(doomed).execute();
    service.advance(9 * DAY);
    await collectGarbage(service.context);
    expect(await isStored('kept')).toBe(true);
  });

  test('are read by those who may accept them, with the files that they bring, even if the index is lost', async () => {
    await proposeArm('new arm');
    const { db, objects, revisions } = service.context;
    const row = await db.selectFrom('proposals').selectAll().executeTakeFirstOrThrow();
    const index = { storeId: row.store_id, sha256: row.index_sha256 };
    await objects.delete(row.store_id, [row.index_sha256], async (hashes) => new Set(hashes));
    revisions.evict(index);
    const changes = await ben.get(`${path}/1/changes`);
    expect(changes).toMatchObject({
      status: 200,
      body: {
        from: { revision: 1 },
        changes: [{ id: 'arm', before: { files: [{ size: 3 }] }, after: { files: [{ size: 7 }] } }],
      },
    });
    const asset = await ann.get(`${robots.path}/assets/arm?proposal=1`);
    expect(asset).toMatchObject({ status: 200, body: { files: [{ sha256: sha256('new arm') }] } });
    // What was withdrawn from the library could be read again by whoever knows its hash.
    expect((await ben.get(`${robots.path}/assets/arm?proposal=1`)).status).toBe(404);
    expect((await ann.get(`${robots.path}/assets/arm?proposal=2`)).status).toBe(404);
    expect((await ann.get(`${robots.path}/assets/arm?proposal=1&revision=1`)).status).toBe(404);
  });

  test('cannot bring anything into the register of somebody else', async () => {
    const own = manifestOf(
      { 'arm/a.stl': 'second', 'base/b.stl': 'base' },
      { generated: ['.bindery/x.webp'] },
    );
    await robots.upload({ 'arm/a.stl': 'second', '.bindery/x.webp': 'picture of ann' });
    await robots.uploadManifest(own);
    await send('.bindery/x.webp', 'picture of ben');
    await send('.bindery/manifest.json', JSON.stringify(manifestOf({ 'arm/a.stl': 'arm' })));
    await proposeArm('arm of ben');
    expect(await robots.register()).toMatchObject({ status: 200, body: { assetCount: 2 } });
    const { body } = await ann.post<{ files: { sha256: string }[] }>(`${robots.path}/files-presign`, {
      paths: ['.bindery/x.webp', 'arm/a.stl'],
    });
    expect(body.files.map(({ sha256 }) => sha256)).toEqual([sha256('picture of ann'), sha256('second')]);
  });

  test('are accepted once, and by the state of the library that it has then', async () => {
    await proposeArm('arm of ben');
    await send('new/c.stl', 'third');
    await opened({ assets: [{ id: 'new', files: [fileEntry('new/c.stl', 'third')] }] } as never);
    const answers = await Promise.all([1, 2, 3].map(() => ann.post(`${path}/1/accept`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    await robots.publish({ 'arm/a.stl': 'arm of ann', 'base/b.stl': 'base' });
    await ann.put('/namespaces/lab/members/ben', { role: 'member' });
    expect(await ben.post(`${path}/2/accept`)).toMatchObject({ status: 200, body: { revision: 4 } });
    const { body } = await ann.get<{ assets: { id: string }[] }>(`${robots.path}/manifest`);
    expect(body.assets.map(({ id }) => id)).toEqual(['arm', 'base', 'new']);
  });

  test('are refused where they are invalid, stale or incomplete, and then leave nothing', async () => {
    const asset = (files: unknown[]) => ({ assets: [{ id: 'arm', files }] }) as never;
    const absent = await opened(asset([fileEntry('arm/a.stl', 'never sent')]));
    expect(absent).toMatchObject({ status: 409, body: { error: 'files_missing', paths: ['arm/a.stl'] } });
    const elsewhere = await opened(asset([{ ...fileEntry('../a', 'arm') }]));
    expect(elsewhere).toMatchObject({ status: 422, body: { error: 'manifest_invalid_path' } });
    const stale = await opened({ removed: ['arm'] }, 'Stale', 'f'.repeat(64));
    expect(stale).toMatchObject({ status: 409, body: { error: 'revision_conflict', revision: 1 } });
    expect((await ben.get(`${path}?state=all`)).body).toMatchObject({ proposals: [], total: 0 });
  });

  test('wait for all who may publish, and for nobody else', async () => {
    expect((await ann.get('/proposals')).body).toEqual({ total: 0, proposals: [] });
    await proposeArm('arm of ben');
    expect((await ann.get('/proposals')).body).toMatchObject({
      total: 1,
      proposals: [{ namespace: 'lab', library: 'robots', number: 1, author: 'ben' }],
    });
    expect((await ben.get('/proposals')).body).toMatchObject({ total: 0 });
    await robots.actor.delete(robots.path);
    expect((await ann.get('/proposals')).body).toMatchObject({ total: 0 });
  });

  test('are bounded in number, and so are their comments', async () => {
    await proposeArm('arm of ben');
    const { db } = service.context;
    const row = await db.selectFrom('proposals').selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: LIMITS.proposals.open - 1 }, (_, at) => ({ ...row, number: at + 2 }));
    await db.insertInto('proposals').values(others).execute();
    expect(await opened({ removed: ['arm'] })).toMatchObject({
      status: 409,
      body: { error: 'too_many_proposals' },
    });
    const comments = Array.from({ length: LIMITS.proposals.comments }, (_, at) => ({
      ...{ store_id: row.store_id, proposal: 1, number: at + 1, author_id: row.author_id, at, text: 'Same' },
    }));
    await db.insertInto('proposal_comments').values(comments).execute();
    expect((await ben.post(`${path}/1/comments`, { text: 'One more' })).status).toBe(403);
    expect((await ann.get<Proposal>(`${path}/1`)).body.comments).toHaveLength(LIMITS.proposals.comments);
  });

  test('readers complete and abort the large uploads of proposals alone', async () => {
    const large = { files: [{ relativePath: 'large.bin', size: LIMITS.multipartFrom }] };
    const begin = async (actor: Actor, at: string) => {
      const { body } = await actor.post<{ files: { transfer: Transfer }[] }>(
        `${at}/upload-authorizations`,
        large,
      );
      const transfer = body.files[0]?.transfer;
      return `${robots.path}/uploads/${transfer?.kind === 's3-multipart' ? transfer.uploadId : ''}`;
    };
    const [of, other] = [await begin(ben, path), await begin(ann, robots.path)];
    expect(await ben.post(`${of}/complete`, { parts: [] })).toMatchObject({
      body: { error: 'parts_missing' },
    });
    expect((await ben.post(`${other}/complete`, { parts: [] })).status).toBe(403);
    expect((await ben.delete(other)).status).toBe(403);
    expect((await ben.delete(of)).status).toBe(204);
  });

  describe('with checks', () => {
    const check = (state: 'passed' | 'failed', name = 'simulation', actor = ann) =>
      actor.post<Proposal>(`${path}/1/checks`, { name, state });
    const requireChecks = (...requiredChecks: string[]) =>
      ann.post<{ requiredChecks: string[] }>(robots.path, { requiredChecks });
    beforeEach(() => proposeArm('new arm'));

    test('are accepted only once each check that the library requires has passed', async () => {
      expect(await requireChecks('simulation', 'licences', 'simulation')).toMatchObject({
        status: 200,
        body: { requiredChecks: ['licences', 'simulation'] },
      });
      expect((await ben.get(robots.path)).body).not.toHaveProperty('requiredChecks');
      const summary = 'The gripper falls over.';
      const url = 'https://ci.example.org/7';
      const posted = await ann.post(`${path}/1/checks`, {
        name: 'simulation',
        state: 'failed',
        summary,
        url,
      });
      expect(posted.status).toBe(200);
      expect((await ben.get(`${path}/1`)).body).toMatchObject({
        checks: [
          { name: 'licences', state: 'missing', isRequired: true, postedBy: null },
          { name: 'simulation', state: 'failed', isRequired: true, summary, url, postedBy: 'ann' },
        ],
      });
      expect(await ann.post(`${path}/1/accept`)).toMatchObject({
        status: 409,
        body: {
          error: 'checks_not_passed',
          message: expect.stringContaining('"simulation" has failed, "licences" is missing.'),
          missing: ['licences'],
          failed: ['simulation'],
        },
      });
      expect((await ann.get(robots.path)).body).toMatchObject({ revision: 1 });
      for (const name of ['simulation', 'licences']) await check('passed', name);
      await check('failed', 'of no consequence');
      expect(await ann.post(`${path}/1/accept`)).toMatchObject({
        status: 200,
        body: {
          revision: 2,
          checks: [
            { name: 'licences', isRequired: false },
            { name: 'of no consequence', state: 'failed' },
            { name: 'simulation', state: 'passed', summary: null },
          ],
        },
      });
      expect(await check('failed')).toMatchObject({ status: 409, body: { error: 'proposal_decided' } });
    });

    test('are accepted once the library no longer requires what is missing', async () => {
      await requireChecks('simulation');
      expect((await ann.post(`${path}/1/accept`)).status).toBe(409);
      expect((await requireChecks()).body.requiredChecks).toEqual([]);
      expect((await ann.get<Proposal>(`${path}/1`)).body.checks).toEqual([]);
      expect((await ann.post(`${path}/1/accept`)).status).toBe(200);
    });

    test.each(['fails', 'becomes required'])(
      'are not accepted if a check %s while they are being published',
      async (what) => {
        await requireChecks('simulation');
        await check('passed');
        const { objects } = service.context;
        const { write } = objects;
        objects.write = async (...given) => {
          objects.write = write;
          const meanwhile = what === 'fails' ? check('failed') : requireChecks('simulation', 'late');
          expect((await meanwhile).status).toBe(200);
          return write.apply(objects, given);
        };
        const answer = await ann.post(`${path}/1/accept`);
        expect(objects.write).toBe(write);
        expect(answer).toMatchObject({ status: 409, body: { error: 'checks_not_passed' } });
        expect((await ann.get(robots.path)).body).toMatchObject({ revision: 1 });
      },
    );

    test('have them from those who may publish alone', async () => {
      expect((await check('passed', 'simulation', ben)).status).toBe(403);
      const carol = await service.member('carol');
      const there = await check('passed', 'simulation', carol);
      const notThere = await carol.post(`${path.replace('robots', 'absent')}/1/checks`, {});
      expect(there).toMatchObject({ status: 404, body: { error: 'not_found' } });
      expect(notThere.body).toEqual({ ...there.body, requestId: expect.any(String) });
      expect((await ann.post(`${path}/2/checks`, { name: 'simulation', state: 'passed' })).status).toBe(404);
      expect((await ben.post(robots.path, { requiredChecks: [] })).status).toBe(403);
      await ann.delete(robots.path);
      expect((await check('passed')).status).toBe(404);
      const { db } = service.context;
      expect(await db.selectFrom('proposal_checks').selectAll().execute()).toEqual([]);
    });

    test('have them within bounds, and forget them with the library', async () => {
      const { checks, required } = LIMITS.proposals;
      const names = Array.from({ length: checks }, (_, at) => `check ${at}`);
      for (const name of names) expect((await check('passed', name)).status).toBe(200);
      expect((await check('passed', 'one more')).status).toBe(403);
      expect(await check('failed', 'check 0')).toMatchObject({ status: 200 });
      expect((await requireChecks(...names.slice(0, required + 1))).status).toBe(400);
      for (const wrong of [
        { name: ' ', state: 'passed' },
        { name: 'x', state: 'missing' },
        { name: 'x', state: 'passed', url: 'javascript:alert(1)' },
        { name: 'x', state: 'passed', summary: 'x'.repeat(LIMITS.proposals.checkSummary + 1) },
      ])
        expect(await ann.post(`${path}/1/checks`, wrong)).toMatchObject({ status: 400 });
      await ann.delete(robots.path);
      await ann.delete(`${robots.path}/purge`);
      const { db } = service.context;
      expect(await db.selectFrom('proposal_checks').selectAll().execute()).toEqual([]);
    });
  });
});
