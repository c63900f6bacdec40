import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
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
  /**
   * Signs somebody in as a browser would, from the address that the service sent it to; answers where it is sent back. A browser
   * that has been here, and whose `cookies` those are, may not be asked.
   */
  signIn(location: string, person: string, cookies?: ProviderCookies): Promise<string>;
  /** How often it asked somebody who they are. */
  asked: number;
  /** Changes the claims of ID tokens before they are signed, with its own key or with another. */
  forge: ((claims: Claims) => { claims: Claims; isForeign?: boolean }) | null;
  close(): Promise<void>;
}

type Claims = Record<string, unknown>;

/** What a browser keeps of the provider. */
export type ProviderCookies = Map<string, string>;

export const CLIENT = { id: 'bindery', secret: 'a secret of the client' };

export async function startProvider(): Promise<TestProvider> {
  const pair = await generateKeyPair('RS256', { extractable: true });
  const foreign = await generateKeyPair('RS256', { extractable: true });
  let handle: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};
  const server = createServer((request, response) => {
    if (provider.forge !== null && request.url === '/token') replaceIdToken(response, provider.forge);
    return handle(request, response);
  });
  /** What is answered carries another ID token. */
  function replaceIdToken(response: ServerResponse, forge: NonNullable<TestProvider['forge']>): void {
    const end = response.end.bind(response);
    response.end = ((body: string) => {
      const answer = JSON.parse(body) as { id_token: string };
      const { claims, isForeign } = forge(decodeJwt(answer.id_token));
      void idToken(claims, isForeign ? foreign.privateKey : pair.privateKey).then((token) => {
        const forged = JSON.stringify({ ...answer, id_token: token });
        response.setHeader('content-length', Buffer.byteLength(forged));
        end(forged);
      });
      return response;
    }) as ServerResponse['end'];
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: TestProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    people: new Map(),
    forge: null,
    asked: 0,
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
    async signIn(location, person, jar = new Map()) {
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
          if (prompt === 'login') provider.asked += 1;
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

async function ask(jar: ProviderCookies, url: URL, form?: URLSearchParams): Promise<Response> {
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
