import { z } from 'zod';
import {
  ConfigurationError,
  listOf,
  oneOf,
  optional,
  type ReadBy,
  type Rules,
  readByRules,
} from './values.ts';

const DOMAIN = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*$/u;

export const OIDC_RULES = {
  issuer: [
    'BINDERY_OIDC_ISSUER',
    optional(z.string().refine(isIssuer, { error: 'an https:// URL without a user or password' })),
  ],
  clientId: ['BINDERY_OIDC_CLIENT_ID', optional(z.string())],
  clientSecret: ['BINDERY_OIDC_CLIENT_SECRET', optional(z.string()), 'secret'],
  /** The name shown to people. */
  name: ['BINDERY_OIDC_NAME', optional(z.string().max(60, { error: 'a name of at most 60 characters' }))],
  /** The scopes to request, separated by spaces. */
  scopes: [
    'BINDERY_OIDC_SCOPES',
    z
      .string()
      .regex(/^openid( |$)/, { error: 'scopes with spaces between, "openid" first' })
      .default('openid email profile'),
  ],
  /** Whether an account is created for a person who has none. */
  signup: [
    'BINDERY_OIDC_SIGNUP',
    oneOf('closed', 'open')
      .transform((word) => word === 'open')
      .default(false),
  ],
  /** Domains of verified e-mail addresses, and groups. A person must match one entry of each list that is not empty. */
  domains: [
    'BINDERY_OIDC_DOMAINS',
    listOf((entry) => DOMAIN.test(entry), 'domains such as example.org').transform((domains) =>
      domains.map((domain) => domain.toLowerCase()),
    ),
  ],
  groups: ['BINDERY_OIDC_GROUPS', listOf(() => true, 'names of groups')],
  /** Whether the provider has to report when the person authenticated for a sign-in to count as recent. */
  authTime: ['BINDERY_OIDC_AUTH_TIME', oneOf('required', 'optional').default('required')],
} as const satisfies Rules;

type Read = ReadBy<typeof OIDC_RULES>;

/** An OpenID Connect provider, and which of its users can sign in to the service. */
export type OidcSettings = { [Name in keyof Read]: NonNullable<Read[Name]> };

/**
 * Returns null if there is no provider. Throws `ConfigurationError` if people could not sign in, or if something is `set`
 * for a provider that is not named.
 */
export function readOidc(set: Record<string, string | undefined>, passwords: boolean): OidcSettings | null {
  const { issuer, clientId, clientSecret, name, ...others } = readByRules(OIDC_RULES, set);
  if (issuer === null) {
    const ignored = Object.values(OIDC_RULES).flatMap(([variable]) => (variable in set ? variable : []));
    if (ignored.length > 0)
      throw new ConfigurationError(`BINDERY_OIDC_ISSUER: it is not set, but ${ignored.join(', ')} needs it.`);
    if (passwords) return null;
    throw new ConfigurationError(
      'BINDERY_PASSWORDS: "off" needs BINDERY_OIDC_ISSUER; otherwise nobody could sign in.',
    );
  }
  if (!clientId) throw new ConfigurationError('BINDERY_OIDC_CLIENT_ID: BINDERY_OIDC_ISSUER needs it.');
  if (!clientSecret)
    throw new ConfigurationError('BINDERY_OIDC_CLIENT_SECRET: BINDERY_OIDC_ISSUER needs it.');
  return { issuer, clientId, clientSecret, name: name ?? new URL(issuer).host, ...others };
}

/** Whether a text is the URL of a provider; one on this machine can do without TLS. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
