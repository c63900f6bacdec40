import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AuditAction, type AuditEntry, type AuditPage, allRoutes, routes } from '@bindery/contract';
import { SignatureLog } from '@bindery/contract/signatures';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { SigningKey, TIME } from '../../../sdk/test/signatures/signing-key.ts';
import { findAccountByName, PASSWORD_PROVIDER, writeIdentity } from '../../src/accounts/accounts.ts';
import { setPassword } from '../../src/accounts/logins.ts';
import { identityKey, OIDC_PROVIDER } from '../../src/accounts/sign-in-methods.ts';
import { createInvitation } from '../../src/accounts/sign-up.ts';
import { deleteExpired } from '../../src/jobs/index.ts';
import { rotateSigningKey } from '../../src/login/signing-keys.ts';
import type { Actor } from '../actor.ts';
import { operator, signedIn } from '../admin/operators.ts';
import { databases } from '../databases.ts';
import { Publisher, sha256 } from '../libraries/publisher.ts';
import { FormUser } from '../pages/forms.ts';
import { createPerson } from '../people.ts';
import { startService, type TestService } from '../service.ts';

const PASSWORD = 'correct horse battery';
const DAY = 86_400;
/** The path of a URL may be a secret, and is not in the log. */
const HOOK = { url: 'https://receiver.invalid/secret-path-of-a-hook' };

describe.each(databases)('the audit log, over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let people = 0;
  beforeAll(async () => {
    service = await startService({
      database: await open(),
      configuration: { trustedProxies: ['loopback'], auditDays: 30, importHosts: ['source.invalid'] },
    });
    olga = await operator(service, 'olga');
  });
  afterAll(() => service.close());

  /** Somebody new who has signed in with `bindery login`, and the namespace of their name. */
  async function person() {
    const name = `person-${++people}`;
    return { name, actor: await signedIn(service, name), at: `/namespaces/${name}` };
  }

  async function entries(query = '', reader = olga, path = '/admin/audit'): Promise<AuditEntry[]> {
    const { status, body } = await reader.get<AuditPage>(`${path}?first=200${query}`);
    expect(status).toBe(200);
    return body.entries;
  }

  /** What was told of meanwhile, the oldest first. */
  async function toldOf(work: () => Promise<unknown>): Promise<AuditEntry[]> {
    const before = new Set((await entries()).map(({ id }) => id));
    await work();
    return (await entries()).filter(({ id }) => !before.has(id)).reverse();
  }

  const NOTHING: Record<string, { method: string; path: string }[]> = {
    'begins or renews a login, which is told of when it is approved': [
      routes.login.startDeviceLogin,
      routes.login.pollDeviceLogin,
      routes.login.exchangeToken,
      routes.login.renewToken,
    ],
    'publishes nothing before the register': [
      routes.proposals.authorizeProposedUploads,
      routes.uploads.authorizeUploads,
      routes.uploads.completeUpload,
      routes.uploads.abortUpload,
    ],
    'reads, with a body because of its length': [
      routes.libraries.presignFiles,
      routes.search.encodeTexts,
      routes.search.findSimilarTo,
    ],
    'is for the caller alone': [routes.libraries.putFavourite, routes.libraries.deleteFavourite],
    'counts, and must not say who': [routes.libraries.countUses],
    'makes what anybody could make of the same files': [routes.libraries.certifyAsset],
    'sends nothing that happened': [routes.webhooks.pingWebhook],
    'orders what is in a project, and opens nothing to anybody': [
      routes.bindrs.createBindr,
      routes.bindrs.patchBindr,
      routes.bindrs.deleteBindr,
      routes.bindrs.tagNode,
      routes.bindrs.untagNode,
    ],
  };

  /** Lets somebody sign in to the account through a provider too. */
  async function connect(userName: string): Promise<void> {
    const { db, clock } = service.context;
    const { id } = await findAccountByName(db, userName);
    const identity = {
      provider: OIDC_PROVIDER,
      key: identityKey({ issuer: 'https://id.invalid', subject: userName }),
    };
    await db.transaction().execute((trx) => writeIdentity(trx, id, identity, clock()));
    await db.updateTable('token_families').set({ provider_id: PASSWORD_PROVIDER }).execute();
  }

  interface Step {
    route: { method: string; path: string };
    as: () => Actor;
    path: string;
    body?: unknown;
    tells: AuditAction | AuditAction[];
  }

  test('records one entry for every route that changes something, except those exempted with a reason', async () => {
    const { name, actor: ada, at } = await person();
    const bob = await person();
    const team = `team-${name}`;
    const robots = new Publisher(ada, name, 'robots');
    await robots.upload({ 'a/b.txt': 'x' });
    const manifest = {
      schema: 'bindery.assets/v1',
      assets: [{ id: 'a', files: [{ path: 'a/b.txt', size: 1, sha256: X }] }],
    };
    await robots.uploadManifest(manifest);
    const proposals = `${robots.path}/proposals`;
    const proposed = (title: string) => ({
      route: routes.proposals.openProposal,
      as: () => ada,
      path: proposals,
      body: { title, changes: { base: sha256(JSON.stringify(manifest)), library: { title } } },
      tells: 'proposal.open' as const,
    });
    const { body: note } = await ada.post<{ id: string }>(`${at}/notes`, { name: 'Plan' });
    await ada.post(`${at}/projects`, { displayName: 'Old', slug: 'old' });
    const { body: token } = await ada.post<{ id: string }>('/api/auth/tokens', { name: 'for a robot' });
    await createPerson(service.context, {
      userName: `leaving-${name}`,
      email: `leaving-${name}@example.org`,
      password: PASSWORD,
    });
    const invited = await createInvitation(service.context);
    const withPassword = await signedIn(service, `leaving-${name}`);
    for (const userName of [`leaving-${name}`, bob.name]) await connect(userName);
    const logins = await (await signedIn(service, bob.name)).get<{ logins: { id: string }[] }>(
      '/api/auth/logins',
    );
    const other = await signedIn(service, bob.name);
    const { namespaces, libraries, releases, signatures, watches, projects, notes, webhooks, login, admin } =
      routes;
    const { body: hook } = await ada.post<{ id: string }>(`${at}/webhooks`, HOOK);
    const keys = mkdtempSync(join(tmpdir(), 'bindery-keys-'));
    const firstSigner = new SigningKey(keys, 'first');
    onTestFinished(() => rmSync(keys, { recursive: true }));
    const { body: delivery } = await ada.post<{ id: string }>(`${at}/webhooks/${hook.id}/ping`);
    const filed = `${at}/resources/note/${note.id}/projects`;
    const steps: Step[] = [
      {
        route: namespaces.createNamespace,
        as: () => ada,
        path: '/namespaces',
        body: { slug: team },
        tells: 'namespace.create',
      },
      {
        route: namespaces.patchNamespace,
        as: () => ada,
        path: `/namespaces/${team}`,
        body: { displayName: 'T' },
        tells: 'namespace.rename',
      },
      {
        route: namespaces.putMember,
        as: () => ada,
        path: `/namespaces/${team}/members/${bob.name}`,
        body: { role: 'member' },
        tells: 'member.set',
      },
      {
        route: namespaces.removeMember,
        as: () => ada,
        path: `/namespaces/${team}/members/${bob.name}`,
        tells: 'member.remove',
      },
      {
        route: admin.handOverNamespace,
        as: () => olga,
        path: `/admin/namespaces/${team}/hand-over`,
        body: { to: bob.name },
        tells: 'namespace.hand-over',
      },
      {
        route: admin.patchQuota,
        as: () => olga,
        path: `/admin/namespaces/${team}/quota`,
        body: { bytes: 1_000 },
        tells: 'namespace.quota',
      },
      {
        route: namespaces.deleteNamespace,
        as: () => ada,
        path: `/namespaces/${team}`,
        tells: 'namespace.delete',
      },
      {
        route: libraries.registerLibrary,
        as: () => ada,
        path: `${robots.path}/register`,
        body: { share: true },
        tells: 'library.register',
      },
      {
        route: libraries.registerLibrary,
        as: () => ada,
        path: `${robots.path}/register`,
        body: {},
        tells: 'library.register',
      },
      {
        route: libraries.restoreRevision,
        as: () => ada,
        path: `${robots.path}/revisions/1/restore`,
        tells: 'library.register',
      },
      {
        route: libraries.patchLibrary,
        as: () => ada,
        path: robots.path,
        body: { visibility: 'public' },
        tells: 'library.change',
      },
      {
        route: releases.createRelease,
        as: () => ada,
        path: `${robots.path}/releases`,
        body: { name: 'v1' },
        tells: 'release.create',
      },
      {
        route: signatures.addSignature,
        as: () => ada,
        path: `${robots.path}/signatures`,
        body: firstSigner.entry(
          new SignatureLog(`${name}/robots`).next({ kind: 'allow', key: firstSigner.key }, TIME),
        ),
        tells: 'signature.add',
      },
      {
        route: watches.setWatch,
        as: () => ada,
        path: `${robots.path}/watch`,
        body: { source: 'https://source.invalid/', every: 'weekly' },
        tells: 'watch.set',
      },
      { route: watches.removeWatch, as: () => ada, path: `${robots.path}/watch`, tells: 'watch.remove' },
      ...['One', 'Two', 'Three'].map(proposed),
      {
        route: routes.proposals.commentOnProposal,
        as: () => ada,
        path: `${proposals}/1/comments`,
        body: { text: 'Fine' },
        tells: 'proposal.comment',
      },
      {
        route: routes.proposals.postCheck,
        as: () => ada,
        path: `${proposals}/1/checks`,
        body: { name: 'simulation', state: 'passed' },
        tells: 'proposal.check',
      },
      {
        route: routes.proposals.refuseProposal,
        as: () => ada,
        path: `${proposals}/1/refuse`,
        tells: 'proposal.refuse',
      },
      {
        route: routes.proposals.withdrawProposal,
        as: () => ada,
        path: `${proposals}/2/withdraw`,
        tells: 'proposal.withdraw',
      },
      {
        route: routes.proposals.acceptProposal,
        as: () => ada,
        path: `${proposals}/3/accept`,
        tells: ['library.register', 'proposal.accept'],
      },
      {
        route: releases.deleteRelease,
        as: () => ada,
        path: `${robots.path}/releases/v1`,
        tells: 'release.delete',
      },
      { route: libraries.deleteLibrary, as: () => ada, path: robots.path, tells: 'library.delete' },
      {
        route: libraries.restoreLibrary,
        as: () => ada,
        path: `${robots.path}/restore`,
        tells: 'library.restore',
      },
      { route: libraries.deleteLibrary, as: () => ada, path: robots.path, tells: 'library.delete' },
      { route: libraries.purgeLibrary, as: () => ada, path: `${robots.path}/purge`, tells: 'library.purge' },
      {
        route: projects.createProject,
        as: () => ada,
        path: `${at}/projects`,
        body: { displayName: 'Lab', slug: 'lab' },
        tells: 'project.create',
      },
      {
        route: projects.patchProject,
        as: () => ada,
        path: `${at}/projects/lab`,
        body: { visibility: 'public' },
        tells: 'project.change',
      },
      {
        route: projects.putGrant,
        as: () => ada,
        path: `${at}/projects/lab/grants/${bob.name}`,
        body: { role: 'reader' },
        tells: 'grant.set',
      },
      {
        route: projects.removeGrant,
        as: () => ada,
        path: `${at}/projects/lab/grants/${bob.name}`,
        tells: 'grant.remove',
      },
      {
        route: notes.createNote,
        as: () => ada,
        path: `${at}/notes`,
        body: { name: 'Other' },
        tells: 'note.create',
      },
      {
        route: notes.patchNote,
        as: () => ada,
        path: `${at}/notes/${note.id}`,
        body: { visibility: 'public' },
        tells: 'note.change',
      },
      { route: notes.fileNote, as: () => ada, path: `${filed}/lab`, tells: 'note.file' },
      { route: notes.fileNote, as: () => ada, path: `${filed}/old`, tells: 'note.file' },
      { route: notes.unfileNote, as: () => ada, path: `${filed}/old`, tells: 'note.unfile' },
      { route: notes.deleteNote, as: () => ada, path: `${at}/notes/${note.id}`, tells: 'note.delete' },
      { route: projects.deleteProject, as: () => ada, path: `${at}/projects/lab`, tells: 'project.delete' },
      {
        route: webhooks.createWebhook,
        as: () => ada,
        path: `${at}/webhooks`,
        body: HOOK,
        tells: 'webhook.create',
      },
      {
        route: webhooks.patchWebhook,
        as: () => ada,
        path: `${at}/webhooks/${hook.id}`,
        body: { paused: true },
        tells: 'webhook.change',
      },
      {
        route: routes.adminWebhooks.changeAnyWebhook,
        as: () => olga,
        path: `/admin/webhooks/${hook.id}`,
        body: { paused: false },
        tells: 'webhook.change',
      },
      ...[
        { route: webhooks.redeliver, as: () => ada, path: `${at}/webhooks/${hook.id}` },
        { route: routes.adminWebhooks.redeliverAny, as: () => olga, path: `/admin/webhooks/${hook.id}` },
      ].map(({ path, ...step }) => ({
        ...step,
        path: `${path}/deliveries/${delivery.id}/redeliver`,
        tells: 'webhook.redeliver' as const,
      })),
      {
        route: webhooks.rotateWebhookSecret,
        as: () => ada,
        path: `${at}/webhooks/${hook.id}/secret`,
        tells: 'webhook.rotate',
      },
      {
        route: webhooks.deleteWebhook,
        as: () => ada,
        path: `${at}/webhooks/${hook.id}`,
        tells: 'webhook.delete',
      },
      {
        route: login.createToken,
        as: () => ada,
        path: '/api/auth/tokens',
        body: { name: 'b' },
        tells: 'token.create',
      },
      {
        route: login.deleteToken,
        as: () => ada,
        path: `/api/auth/tokens/${token.id}`,
        tells: 'token.delete',
      },
      {
        route: login.endLogin,
        as: () => other,
        path: `/api/auth/logins/${logins.body.logins[0]?.id}`,
        tells: 'login.end',
      },
      { route: login.revokeToken, as: () => other, path: '/api/auth/revoke', tells: 'login.end' },
      {
        route: login.disconnectProvider,
        as: () => withPassword,
        path: '/api/auth/sign-in-methods/provider',
        tells: 'account.change',
      },
      {
        route: admin.disconnectUser,
        as: () => olga,
        path: `/admin/users/${bob.name}/provider`,
        tells: 'account.change',
      },
      {
        route: login.changePassword,
        as: () => withPassword,
        path: '/api/auth/password',
        body: { currentPassword: PASSWORD, newPassword: `${PASSWORD} 2` },
        tells: 'password.change',
      },
      {
        route: admin.createUser,
        as: () => olga,
        path: '/admin/users',
        body: { userName: `new-${name}`, email: `new-${name}@example.org`, password: PASSWORD },
        tells: 'account.create',
      },
      {
        route: admin.createInvitation,
        as: () => olga,
        path: '/admin/invitations',
        body: { email: `guest-${name}@example.org` },
        tells: 'invitation.create',
      },
      {
        route: admin.deleteInvitation,
        as: () => olga,
        path: `/admin/invitations/${invited.id}`,
        tells: 'invitation.delete',
      },
      {
        route: admin.patchUser,
        as: () => olga,
        path: `/admin/users/leaving-${name}`,
        body: { disabled: true },
        tells: 'account.change',
      },
      {
        route: admin.deleteUser,
        as: () => olga,
        path: `/admin/users/leaving-${name}`,
        tells: 'account.delete',
      },
    ];
    const told = new Set<string>();
    const keyOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
    for (const { route, as, path, body, tells } of steps) {
      const key = keyOf(route);
      const lines = await toldOf(async () => {
        const answer = await as().send(route.method, path, body);
        expect(answer.status, `${key}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
      });
      expect(
        lines.map(({ action }) => action),
        key,
      ).toEqual([tells].flat());
      expect(lines[0]).toMatchObject({ via: 'login', address: '127.0.0.1' });
      told.add(key);
    }
    const silent = Object.values(NOTHING).flat().map(keyOf);
    const changing = allRoutes.filter(({ method }) => method !== 'GET').map(keyOf);
    expect(changing.filter((key) => !told.has(key)).sort()).toEqual(silent.sort());
  });

  test('records actor, action, namespace, the client address given by the proxy and a truncated user agent', async () => {
    const { name, actor } = await person();
    const far = actor.with({ 'x-forwarded-for': '203.0.113.7', 'user-agent': `robot/${'9'.repeat(500)}` });
    await far.post('/namespaces', { slug: `far-${name}` });
    const [line] = await entries(`&namespace=far-${name}`);
    expect(line).toMatchObject({
      action: 'namespace.create',
      actor: name,
      via: 'login',
      namespace: `far-${name}`,
      address: '203.0.113.7',
    });
    expect(line?.userAgent).toHaveLength(300);
  });

  test('records successful and failed sign-ins', async () => {
    const name = `person-${++people}`;
    await createPerson(service.context, { userName: name, email: `${name}@example.org`, password: PASSWORD });
    const browser = new FormUser(service.url);
    const lines = await toldOf(async () => {
      await browser.signIn(`${name}@example.org`, 'not the password');
      await browser.signIn('my secret typed in the wrong field', PASSWORD);
      await browser.signIn(`${name}@example.org`, PASSWORD);
    });
    expect(lines).toMatchObject([
      { action: 'sign-in.failed', actor: name, via: 'page', address: '127.0.0.1' },
      { action: 'sign-in.failed', actor: null },
      { action: 'sign-in', actor: name },
    ]);
  });

  test('records what the operator does on the machine, without actor or address', async () => {
    const name = `person-${++people}`;
    const lines = await toldOf(async () => {
      await createPerson(service.context, {
        userName: name,
        email: `${name}@example.org`,
        password: PASSWORD,
      });
      await setPassword(service.context, name, `${PASSWORD} 2`);
      await createInvitation(service.context);
      await rotateSigningKey(service.context);
    });
    expect(lines.map(({ action }) => action)).toEqual([
      'account.create',
      'password.set',
      'invitation.create',
      'signing-key.rotate',
    ]);
    for (const line of lines) expect(line).toMatchObject({ actor: null, via: 'machine', address: null });
  });

  test('has no entry for a refused request or a change without effect', async () => {
    const { name, actor, at } = await person();
    const robots = new Publisher(actor, name, 'robots');
    await robots.publish({ 'a/b.txt': 'x' });
    await actor.post(`${robots.path}/releases`, { name: 'v1' });
    const lines = await toldOf(async () => {
      expect((await actor.post(`${robots.path}/releases`, { name: 'v1' })).status).toBe(409);
      expect((await actor.put(`${at}/members/${name}`, { role: 'member' })).status).toBe(409);
      expect((await actor.delete(`${robots.path}/purge`)).status).toBe(409);
      expect((await robots.register({ expectedRevision: 7 })).status).toBe(409);
      expect((await actor.delete(`${at}/members/nobody-there`)).status).toBe(204);
    });
    expect(lines).toEqual([]);
  });

  test('contains no token, share link, invitation, password or webhook path', async () => {
    const { name, actor } = await person();
    const { body: token } = await actor.post<{ token: string }>('/api/auth/tokens', { name: 'robot' });
    const robots = new Publisher(actor, name, 'robots');
    const { body: library } = await robots.publish<{ shareToken: string }>(
      { 'a/b.txt': 'x' },
      { share: true },
    );
    const { link } = await createInvitation(service.context);
    const log = JSON.stringify(await service.context.db.selectFrom('audit_log').selectAll().execute());
    const bearer = actor.headers.authorization?.split(' ')[1] ?? '';
    const secrets = [token.token, library.shareToken, bearer, link.split('=')[1] ?? '', PASSWORD];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(10);
      expect(log).not.toContain(secret);
    }
    expect(log).not.toContain('my secret typed');
    expect(log).toContain('receiver.invalid');
    expect(log).not.toContain('secret-path-of-a-hook');
    expect((await entries(`&namespace=${name}&action=library.register`))[0]?.details).toMatchObject({
      shared: true,
      newShareLink: true,
    });
  });

  test('can be read by the owners of a namespace for that namespace only, and by signed-in operators', async () => {
    const [ada, bob, eve] = [await person(), await person(), await person()];
    await ada.actor.put(`${ada.at}/members/${bob.name}`, { role: 'member' });
    const path = `${ada.at}/audit`;
    expect(await entries('', ada.actor, path)).toMatchObject([
      { action: 'member.set', actor: ada.name, target: bob.name, details: { role: 'member' } },
    ]);
    expect((await bob.actor.get(path)).status).toBe(403);
    const answerOf = async (asked: string) => {
      const { status, body } = await eve.actor.get(asked);
      return { status, body: { ...body, requestId: '' } };
    };
    expect(await answerOf(path)).toEqual(await answerOf('/namespaces/nowhere/audit'));
    expect((await answerOf(path)).status).toBe(404);
    expect((await service.anonymous.get(path)).status).toBe(401);
    for (const nobody of [ada.actor, service.anonymous, await service.member('olga')]) {
      expect((await nobody.get('/admin/audit')).status).toBe(404);
    }
    await ada.actor.delete(`${ada.at}/members/${bob.name}`);
    expect((await bob.actor.get(path)).status).toBe(404);
  });

  test('hides entries of a deleted namespace from the owner of a new one with the same slug', async () => {
    const [ada, bob] = [await person(), await person()];
    const slug = `again-${ada.name}`;
    await ada.actor.post('/namespaces', { slug });
    await ada.actor.delete(`/namespaces/${slug}`);
    await bob.actor.post('/namespaces', { slug });
    const seen = await entries('', bob.actor, `/namespaces/${slug}/audit`);
    expect(seen.map(({ actor }) => actor)).toEqual([bob.name]);
    expect(await entries(`&namespace=${slug}`)).toHaveLength(3);
  });

  test('is paged with each entry once, filtered by action and user, and rejects invalid queries', async () => {
    const { name, actor, at } = await person();
    for (let one = 0; one < 7; one++) await actor.patch(at, { displayName: `Name ${one}` });
    await actor.post(`${at}/projects`, { displayName: 'Lab' });
    const seen: string[] = [];
    let after = '';
    for (let page = 0; page < 4; page++) {
      const { body } = await actor.get<AuditPage>(`${at}/audit?first=3&action=namespace.rename${after}`);
      seen.push(...body.entries.map(({ details }) => String(details.displayName)));
      after = `&after=${body.pageInfo.endCursor}`;
      if (!body.pageInfo.hasNextPage) break;
    }
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((one) => `Name ${one}`));
    expect(await entries(`&user=${name}&action=project.create`)).toHaveLength(1);
    for (const wrong of ['after=x', 'first=0', 'first=201', 'action=nothing', 'unknown=1']) {
      expect((await actor.get(`${at}/audit?${wrong}`)).status, wrong).toBe(400);
    }
  });

  test('can be filtered by time, including the start and excluding the end', async () => {
    const { name, actor, at } = await person();
    for (const displayName of ['One', 'Two', 'Three']) {
      await actor.patch(at, { displayName });
      service.advance(1);
    }
    const read = (query: string) => entries(`&action=namespace.rename${query}`, actor, `${at}/audit`);
    const names = async (query: string) => (await read(query)).map(({ details }) => details.displayName);
    const [three, two] = await read('');
    expect(await names(`&since=${two?.at}`)).toEqual(['Three', 'Two']);
    expect(await names(`&until=${two?.at}`)).toEqual(['One']);
    expect(await names(`&since=${two?.at}&until=${three?.at}`)).toEqual(['Two']);
    expect(await names(`&since=${three?.at}&until=${two?.at}`)).toEqual([]);
    expect(await names(`&until=${three?.at}&after=${two?.id}`)).toEqual(['One']);
    expect(await entries(`&user=${name}&since=${three?.at}`)).toHaveLength(1);
    expect((await actor.get(`${at}/audit?since=yesterday`)).status).toBe(400);
  });

  test('deletes entries older than the configured retention', async () => {
    const { name, actor } = await person();
    await actor.post('/namespaces', { slug: `old-${name}` });
    service.advance(31 * DAY);
    try {
      await deleteExpired(service.context);
      const left = await service.context.db
        .selectFrom('audit_log')
        .select('id')
        .where('namespace', '=', `old-${name}`)
        .execute();
      expect(left).toEqual([]);
    } finally {
      service.advance(-31 * DAY);
    }
  });
});

const X = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
