import { z } from 'zod';
import { ConfigurationError } from './error.ts';
import { list, oneOf } from './values.ts';

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

export const OIDC_VARIABLES = {
  BINDERY_PASSWORDS: oneOf('on', 'off').default('on'),
  BINDERY_OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: 'an https:// URL' })
    .refine((url) => url.startsWith('https:') || isLoopback(new URL(url).hostname), {
      error: 'an https:// URL',
    })
    .optional(),
  BINDERY_OIDC_CLIENT_ID: z.string().optional(),
  BINDERY_OIDC_CLIENT_SECRET: z.string().optional(),
  BINDERY_OIDC_NAME: z.string().max(60).optional(),
  BINDERY_OIDC_SCOPES: z
    .string()
    .regex(/^openid( |$)/, { error: 'scopes with spaces between, "openid" first' })
    .default('openid email profile'),
  BINDERY_OIDC_SIGNUP: oneOf('closed', 'open').default('closed'),
  BINDERY_OIDC_DOMAINS: z.string().default('').transform(list),
  BINDERY_OIDC_GROUPS: z.string().default('').transform(list),
  BINDERY_OIDC_AUTH_TIME: oneOf('required', 'optional').default('required'),
};

type OidcVariables = z.output<z.ZodObject<typeof OIDC_VARIABLES>>;

/** Returns null if there is no provider. Throws `ConfigurationError` if people could not sign in. */
export function readOidc(env: OidcVariables): OidcSettings | null {
  const issuer = env.BINDERY_OIDC_ISSUER;
  if (issuer === undefined) {
    if (env.BINDERY_PASSWORDS === 'on') return null;
    throw new ConfigurationError(
      'BINDERY_PASSWORDS: "off" needs BINDERY_OIDC_ISSUER; otherwise nobody could sign in.',
    );
  }
  const clientId = env.BINDERY_OIDC_CLIENT_ID;
  const clientSecret = env.BINDERY_OIDC_CLIENT_SECRET;
  if (!clientId || !clientSecret) {
    throw new ConfigurationError(
      'BINDERY_OIDC_ISSUER: it needs BINDERY_OIDC_CLIENT_ID and BINDERY_OIDC_CLIENT_SECRET.',
    );
  }
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

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}
