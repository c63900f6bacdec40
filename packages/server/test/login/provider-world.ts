import type { OidcSettings } from '../../src/configuration/configuration.ts';
import type { TestDatabase } from '../databases.ts';
import { FormUser, type PageResponse } from '../pages/forms.ts';
import { startService, type TestService, type TestServiceOptions } from '../service.ts';
import { CLIENT, type ProviderCookies, startProvider, type TestProvider } from './identity-provider.ts';

/** A service that signs people in through a provider on this machine. */
export interface ProviderWorld {
  service: TestService;
  provider: TestProvider;
  /** The service reads them anew at each sign-in. */
  oidc: OidcSettings;
  /** Somebody at the provider who was never here. */
  newcomer(): string;
  /** Goes to the provider, signs in there where it asks, and comes back. */
  signInAs(
    person: string,
    way?: SignInWay,
  ): Promise<{ browser: FormUser; back: string; answer: PageResponse }>;
  close(): Promise<void>;
}

interface SignInWay {
  /** A new one without it. */
  browser?: FormUser | undefined;
  /** Where it begins. */
  path?: string;
  /** What the browser has of the provider; nothing without it. */
  cookies?: ProviderCookies;
}

export async function startProviderWorld(
  database: TestDatabase,
  options: TestServiceOptions = {},
): Promise<ProviderWorld> {
  const provider = await startProvider();
  const oidc: OidcSettings = {
    issuer: provider.issuer,
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    name: 'Acme',
    scopes: 'openid email profile groups',
    signup: true,
    domains: [],
    groups: [],
    authTime: 'required',
  };
  const service = await startService({ ...options, database, configuration: { oidc, signup: 'open' } });
  await provider.admit(`${service.url}/sign-in/oidc/callback`);
  let people = 0;
  return {
    service,
    provider,
    oidc,
    newcomer() {
      const name = `person-${++people}-${service.context.configuration.databaseUrl === null ? 'a' : 'b'}`;
      provider.people.set(name, {
        email: `${name}@example.org`,
        email_verified: true,
        name: 'A Person',
        preferred_username: name,
        groups: ['robots'],
      });
      return name;
    },
    async signInAs(person, { browser = new FormUser(service.url), path = '/sign-in/oidc', cookies } = {}) {
      const away = await browser.get(path);
      if (away.status !== 303) throw new Error(`${path} answered ${away.status} ${away.text}`);
      const back = await provider.signIn(away.location ?? '', person, cookies);
      const answer = await browser.get(back.slice(service.url.length));
      return { browser, back, answer };
    },
    async close() {
      await service.close();
      await provider.close();
    },
  };
}
