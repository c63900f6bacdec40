import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';

/** What the provider says of a person, beside who it is. */
export interface Person {
  email?: string;
  email_verified?: boolean;
  name?: string;
  preferred_username?: string;
  groups?: string[];
}

/** A certified OpenID Connect provider on this machine, and ways to make it lie. */
export interface TestProvider {
  issuer: string;
  people: Map<string, Person>;
  /** Makes the one client, which comes back to this address. */
  admit(callback: string): Promise<void>;
  /** Signs somebody in as a browser would, from the address that the service sent it to; answers where it is sent back. */
  signIn(location: string, person: string): Promise<string>;
  /** Answers the next exchange with an ID token of these claims, signed with its own key or with another. */
  forge: ((claims: Claims) => { claims: Claims; isForeign?: boolean }) | null;
  close(): Promise<void>;
}

type Claims = Record<string, unknown>;

export const CLIENT = { id: 'bindery', secret: 'a secret of the client' };

export async function startProvider(): Promise<TestProvider> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256', { extractable: true });
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  let nonce = '';
  const server = createServer((request, response) => {
    if (provider.forge === null || request.url !== '/token') return handle(request, response);
    const { claims, isForeign } = provider.forge({
      iss: provider.issuer,
      aud: CLIENT.id,
      sub: 'ada',
      nonce,
      exp: Math.floor(Date.now() / 1_000) + 300,
      iat: Math.floor(Date.now() / 1_000),
    });
    void idToken(claims, isForeign ? foreign.privateKey : pair.privateKey).then((token) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ access_token: 'none', token_type: 'Bearer', id_token: token })),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people: new Map(),
    forge: null,
    async admit(callback) {
      const oidc = new Provider(provider.issuer, {
        clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
        clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
        cookies: { keys: ['a key of the cookies'] },
        jwks: { keys: [{ ...(await exportJWK(pair.privateKey)), kid: 'own', alg: 'RS256' }] },
        claims: {
          openid: ['sub'],
          email: ['email', 'email_verified'],
          profile: ['name', 'preferred_username'],
          groups: ['groups'],
        },
        pkce: { required: () => true },
        findAccount: (_ctx, id) => ({
          accountId: id,
          claims: async () => ({ sub: id, ...provider.people.get(id) }),
        }),
      });
      handle = oidc.callback();
    },
    async signIn(location, person) {
      nonce = new URL(location).searchParams.get('nonce') ?? '';
      const jar = new Map<string, string>();
      let at = new URL(location);
      for (let step = 0; step < 12; step++) {
        const isForm = at.pathname.startsWith('/interaction/') && !at.pathname.endsWith('/abort');
        const page = await ask(jar, at);
        const next = page.headers.get('location');
        if (next) {
          const to = new URL(next, at);
          if (to.origin !== provider.issuer) return to.href;
          at = to;
        } else if (isForm) {
          const prompt = /name="prompt" value="(\w+)"/.exec(await page.text())?.[1] ?? '';
          const form = new URLSearchParams({ prompt, login: person, password: 'any' });
          const answer = await ask(jar, at, form);
          at = new URL(answer.headers.get('location') ?? '', at);
        } else throw new Error(`${at.pathname} answered ${page.status} ${await page.text()}`);
      }
      throw new Error('the provider goes round in circles');
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return provider;
}

async function ask(jar: Map<string, string>, url: URL, form?: URLSearchParams): Promise<Response> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
    ...(form && { method: 'POST', body: form }),
  });
  for (const cookie of response.headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';');
    const equals = pair.indexOf('=');
    jar.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return response;
}

function idToken(claims: Claims, key: CryptoKey): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(key);
}
