import { z } from 'zod';
import { ConfigurationError, listOf, oneOf } from './values.ts';

/** An OpenID Connect provider, and which of its users can sign in to the service. */
export interface OidcSettings {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The name shown to people. */
  name: string;
  /** The scopes to request, separated by spaces. */
  scopes: string;
  /** Whether an account is created for a person who has none. */
  signup: boolean;
  /** Domains of verified e-mail addresses, and groups. A person must match one entry of each list that is not empty. */
  domains: string[];
  groups: string[];
  /** Whether the provider has to report when the person authenticated for a sign-in to count as recent. */
  authTime: 'required' | 'optional';
}

const DOMAIN = /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)*$/u;

export const OIDC_VARIABLES = {
  BINDERY_PASSWORDS: oneOf('on', 'off').default('on'),
  BINDERY_OIDC_ISSUER: z
    .string()
    .refine(isIssuer, { error: 'an https:// URL without a user or password' })
    .optional(),
  BINDERY_OIDC_CLIENT_ID: z.string().optional(),
  BINDERY_OIDC_CLIENT_SECRET: z.string().optional(),
  BINDERY_OIDC_NAME: z.string().max(60, { error: 'a name of at most 60 characters' }).optional(),
  BINDERY_OIDC_SCOPES: z
    .string()
    .regex(/^openid( |$)/, { error: 'scopes with spaces between, "openid" first' })
    .default('openid email profile'),
  BINDERY_OIDC_SIGNUP: oneOf('closed', 'open').default('closed'),
  BINDERY_OIDC_DOMAINS: listOf((entry) => DOMAIN.test(entry), 'domains such as example.org'),
  BINDERY_OIDC_GROUPS: listOf(() => true, 'names of groups'),
  BINDERY_OIDC_AUTH_TIME: oneOf('required', 'optional').default('required'),
};

type OidcVariables = z.output<z.ZodObject<typeof OIDC_VARIABLES>>;

/**
 * Returns null if there is no provider. Throws `ConfigurationError` if people could not sign in, or if something is `set`
 * for a provider that is not named.
 */
export function readOidc(env: OidcVariables, set: Record<string, string | undefined>): OidcSettings | null {
  const issuer = env.BINDERY_OIDC_ISSUER;
  if (issuer === undefined) {
    const ignored = Object.keys(OIDC_VARIABLES).filter(
      (name) => name.startsWith('BINDERY_OIDC_') && name in set,
    );
    if (ignored.length > 0) {
      throw new ConfigurationError(`BINDERY_OIDC_ISSUER: it is not set, but ${ignored.join(', ')} needs it.`);
    }
    if (env.BINDERY_PASSWORDS === 'on') return null;
    throw new ConfigurationError(
      'BINDERY_PASSWORDS: "off" needs BINDERY_OIDC_ISSUER; otherwise nobody could sign in.',
    );
  }
  const clientId = env.BINDERY_OIDC_CLIENT_ID;
  const clientSecret = env.BINDERY_OIDC_CLIENT_SECRET;
  if (!clientId) throw new ConfigurationError('BINDERY_OIDC_CLIENT_ID: BINDERY_OIDC_ISSUER needs it.');
  if (!clientSecret)
    throw new ConfigurationError('BINDERY_OIDC_CLIENT_SECRET: BINDERY_OIDC_ISSUER needs it.');
  return {
    issuer,
    clientId,
    clientSecret,
    name: env.BINDERY_OIDC_NAME ?? new URL(issuer).host,
    scopes: env.BINDERY_OIDC_SCOPES,
    signup: env.BINDERY_OIDC_SIGNUP === 'open',
    domains: env.BINDERY_OIDC_DOMAINS.map((domain) => domain.toLowerCase()),
    groups: env.BINDERY_OIDC_GROUPS,
    authTime: env.BINDERY_OIDC_AUTH_TIME,
  };
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
