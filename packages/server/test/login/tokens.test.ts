import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { decodeJwt, exportJWK, importJWK, type JWTPayload, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSigningKey } from '../../src/login/signing-keys.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { logIn } from './device-login.ts';

const DAY = 86_400;

describe.each(databases)('tokens over $name', ({ open }) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ database: await open() });
  });
  afterAll(() => service.close());

  const bearer = (token: string): Actor => service.anonymous.with({ authorization: `Bearer ${token}` });

  async function signingKey() {
    const { value } = await service.context.db
      .selectFrom('settings')
      .select('value')
      .where('key', '=', 'signing_keys')
      .executeTakeFirstOrThrow();
    const [{ kid, jwk }] = JSON.parse(value);
    return { kid: kid as string, jwk };
  }

  /** The claims of a good token, signed anew with what a forger might try. */
  async function forge(change: {
    claims?: JWTPayload;
    header?: object;
    key?: Parameters<SignJWT['sign']>[0];
  }) {
    const claims = { ...decodeJwt(await logIn(service, 'ada')), ...change.claims };
    const { kid, jwk } = await signingKey();
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA', kid, ...change.header })
      .sign(change.key ?? (await importJWK(jwk, 'EdDSA')));
  }

  test('a service token names its user, issuer and audience, and expires after thirty days', async () => {
    const claims = decodeJwt(await logIn(service, 'ada'));
    expect(claims).toMatchObject({ userName: 'ada', iss: 'bindery', aud: 'bindery:api' });
    expect(claims.jti).toMatch(/^[0-9a-f-]{36}$/);
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(30 * DAY);
  });

  test('a token signed again without changes is accepted, as a control for the forgeries', async () => {
    expect((await bearer(await forge({})).get('/api/auth/profile')).status).toBe(200);
  });

  test.each<[string, () => Promise<string>]>([
    ['another audience', () => forge({ claims: { aud: 'bindery:exchange' } })],
    ['another issuer', () => forge({ claims: { iss: 'someone else' } })],
    ['no expiry', () => forge({ claims: { exp: undefined } as unknown as JWTPayload })],
    ['an expiry in the past', () => forge({ claims: { exp: 1_700_000_000 } })],
    ['an account that does not exist', () => forge({ claims: { sub: 'nobody' } })],
    ['an unknown key id', () => forge({ header: { kid: 'another' } })],
    ['a foreign key', () => forge({ key: generateKeyPairSync('ed25519').privateKey })],
    [
      'a foreign key for another algorithm',
      () =>
        forge({
          header: { alg: 'ES256' },
          key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        }),
    ],
    [
      'the public key as its HS256 secret',
      async () => {
        const { jwk } = await signingKey();
        const pem = createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
        return forge({ header: { alg: 'HS256' }, key: Buffer.from(pem) });
      },
    ],
    [
      'its own key in the header',
      async () => {
        const { privateKey, publicKey } = generateKeyPairSync('ed25519');
        return forge({ header: { jwk: await exportJWK(publicKey) }, key: privateKey });
      },
    ],
    [
      'no signature',
      async () => {
        const [, payload] = (await logIn(service, 'ada')).split('.');
        const header = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
        return `${header}.${payload}.`;
      },
    ],
    [
      'a changed payload',
      async () => {
        const [header, payload, signature] = (await logIn(service, 'ada')).split('.');
        const claims = {
          ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()),
          userName: 'root',
        };
        return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
      },
    ],
    ['an unknown format', async () => 'nonsense'],
    ['the prefix of a personal token but an unknown secret', async () => 'bnd_nonsense'],
  ])('a token with %s gets 401 and is never treated as anonymous', async (_what, make) => {
    const token = await make();
    for (const path of ['/api/auth/profile', '/namespaces/ada']) {
      const { status, headers, body } = await bearer(token).get(path);
      expect([path, status, body.error]).toEqual([path, 401, 'invalid_token']);
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    }
  });

  test.each(['Basic YWRhOmFkYQ==', 'Bearer', 'Bearer a b', 'token'])(
    'the Authorization header "%s" is rejected with 401',
    async (authorization) => {
      const { status } = await service.anonymous.with({ authorization }).get('/namespaces');
      expect(status).toBe(401);
    },
  );

  test('a revoked token stops working at once, while other tokens of the account keep working', async () => {
    const [ended, kept] = [await logIn(service, 'ada'), await logIn(service, 'ada')];
    expect((await bearer(ended).post('/api/auth/revoke')).status).toBe(204);
    expect((await bearer(ended).get('/api/auth/profile')).status).toBe(401);
    expect((await bearer(kept).get('/api/auth/profile')).status).toBe(200);
  });

  test('a token can be renewed while it is valid, but not after it expires', async () => {
    const late = await startService();
    const first = await logIn(late, 'ada');
    const holder = (token: string) => late.anonymous.with({ authorization: `Bearer ${token}` });
    late.advance(29 * DAY);
    const { status, body } = await holder(first).post<{ token: string; expires_at: string }>(
      '/api/auth/renew',
    );
    expect(status).toBe(200);
    late.advance(2 * DAY);
    expect((await holder(first).post('/api/auth/renew')).status).toBe(401);
    expect((await holder(body.token).get('/api/auth/profile')).status).toBe(200);
    await late.close();
  });

  test('tokens survive one rotation of the signing key, but not two', async () => {
    const old = await logIn(service, 'ada');
    await rotateSigningKey(service.context);
    service.advance(61);
    expect((await bearer(old).get('/api/auth/profile')).status).toBe(200);
    const fresh = await logIn(service, 'ada');
    await rotateSigningKey(service.context);
    service.advance(61);
    expect((await bearer(fresh).get('/api/auth/profile')).status).toBe(200);
    expect((await bearer(old).get('/api/auth/profile')).status).toBe(401);
  });

  describe('personal access tokens', () => {
    const path = '/api/auth/tokens';
    interface Made {
      id: string;
      token: string;
    }

    test('are shown when created, listed without their secret, and stop working when deleted', async () => {
      const ada = bearer(await logIn(service, 'ada'));
      const made = await ada.post<Made>(path, { name: 'ci', scope: 'write', expiresInDays: 2 });
      expect(made).toMatchObject({ status: 201, body: { name: 'ci', scope: 'write', namespace: null } });
      expect(made.body.token).toMatch(/^bnd_[\w-]{43}$/);
      const { body: listed } = await ada.get<{ tokens: Made[] }>(path);
      const { token, ...shown } = made.body;
      expect(listed.tokens).toContainEqual(shown);
      expect((await bearer(token).get('/namespaces')).status).toBe(200);

      expect((await ada.delete(`${path}/${made.body.id}`)).status).toBe(204);
      expect((await bearer(token).get('/namespaces')).status).toBe(401);
      expect((await ada.delete(`${path}/${made.body.id}`)).status).toBe(404);
    });

    test('expire after the requested number of days', async () => {
      const ada = bearer(await logIn(service, 'ada'));
      const { body } = await ada.post<Made>(path, { name: 'short', expiresInDays: 1 });
      expect((await bearer(body.token).get('/namespaces')).status).toBe(200);
      service.advance(DAY);
      expect((await bearer(body.token).get('/namespaces')).status).toBe(401);
    });

    test('can revoke themselves, but cannot be renewed', async () => {
      const token = await service.token('ada', { scope: 'read' });
      expect((await token.post('/api/auth/renew')).status).toBe(403);
      expect((await token.post('/api/auth/revoke')).status).toBe(204);
      expect((await token.get('/namespaces')).status).toBe(401);
    });

    test('with the read scope can read but not write', async () => {
      const reader = await service.token('ada', { scope: 'read' });
      expect((await reader.get('/namespaces/ada/members')).status).toBe(200);
      expect((await reader.post('/namespaces', { slug: 'from-reader' })).status).toBe(403);
      expect((await reader.patch('/namespaces/ada', { displayName: 'A' })).status).toBe(403);
      expect((await reader.patch('/namespaces/not-there', { displayName: 'A' })).status).toBe(404);
      expect((await reader.post(path, { name: 'more', scope: 'write' })).status).toBe(403);
      expect((await reader.delete(`${path}/${'0'.repeat(36)}`)).status).toBe(404);
    });

    test('bound to a namespace have no access elsewhere and cannot create namespaces or tokens', async () => {
      const ada = await service.member('ada');
      await ada.post('/namespaces', { slug: 'bound-lab' });
      const bound = await service.token('ada', { namespace: 'bound-lab' });
      expect((await bound.get('/namespaces/bound-lab/members')).status).toBe(200);
      expect(await bound.get('/namespaces/ada')).toMatchObject({ status: 404 });
      expect((await bound.get('/namespaces')).body).toMatchObject({ namespaces: [{ slug: 'bound-lab' }] });
      expect((await bound.post('/namespaces', { slug: 'further' })).status).toBe(403);
      expect((await bound.post(path, { name: 'free' })).status).toBe(403);
      expect((await bound.get(path)).body).toMatchObject({ tokens: [{ namespace: 'bound-lab' }] });
    });

    test('can be bound only to namespaces of their account', async () => {
      const ada = bearer(await logIn(service, 'ada'));
      await service.member('bob');
      expect((await ada.post(path, { name: 'x', namespace: 'bob' })).status).toBe(404);
      expect((await ada.post(path, { name: 'x', namespace: 'nowhere' })).status).toBe(404);
      expect(await ada.post(path, { name: 'x', namespace: 'ada' })).toMatchObject({
        status: 201,
        body: { namespace: 'ada' },
      });
    });

    test('cannot be deleted by another account', async () => {
      const ada = bearer(await logIn(service, 'ada'));
      const { body } = await ada.post<Made>(path, { name: 'mine' });
      const bob = await service.member('bob');
      expect((await bob.delete(`${path}/${body.id}`)).status).toBe(404);
      expect((await bearer(body.token).get('/namespaces')).status).toBe(200);
    });

    test.each([
      [{ scope: 'read' }, '/name'],
      [{ name: '' }, '/name'],
      [{ name: 'x', scope: 'admin' }, '/scope'],
      [{ name: 'x', expiresInDays: 0 }, '/expiresInDays'],
      [{ name: 'x', colour: 'red' }, '/colour'],
    ])('cannot be created with %j, and the error names the invalid parameter', async (body, parameter) => {
      const ada = bearer(await logIn(service, 'ada'));
      expect(await ada.post(path, body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_parameter', parameter },
      });
    });
  });
});
