import { z } from 'zod';
import { login, namespace, personalAccessToken, signInMethods, tokenScope, user } from '../account.ts';
import { endpoints } from '../endpoints.ts';
import { namespaceSlug, sha256Hex } from '../name-schemas.ts';
import { none, timestamp } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const startDeviceLogin = defineRoute({
  ...endpoints.login.startDeviceLogin,
  summary: 'Starts a device login',
  body: z.strictObject({ device_secret_hash: sha256Hex, client_name: z.string().max(200).optional() }),
  response: z.object({
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  }),
  errors: ['invalid_request', 'rate_limited'],
});

/** Returns 202 `{error: "authorization_pending"}` until the person has decided. */
export const pollDeviceLogin = defineRoute({
  ...endpoints.login.pollDeviceLogin,
  summary: 'Collects the access token of an approved device login, once',
  body: z.strictObject({ device_secret_hash: sha256Hex }),
  furtherSuccess: [202],
  response: z.object({ access_token: z.string(), token_type: z.literal('Bearer'), expires_in: z.int() }),
  errors: [
    'invalid_request',
    'expired_token',
    'access_denied',
    'unknown_request',
    'slow_down',
    'rate_limited',
  ],
});

const serviceToken = z.object({
  token: z.string(),
  token_type: z.literal('Bearer'),
  expires_at: timestamp,
  user,
  namespace: z.string(),
});
export type ServiceToken = z.infer<typeof serviceToken>;

export const exchangeToken = defineRoute({
  ...endpoints.login.exchangeToken,
  summary: 'Exchanges the access token of a device login for a service token, once',
  body: none.nullish(),
  response: serviceToken,
  errors: ['invalid_token', 'rate_limited'],
});

export const renewToken = defineRoute({
  ...endpoints.login.renewToken,
  summary: 'Renews a service token that is still valid',
  body: none.nullish(),
  response: serviceToken,
  errors: ['forbidden', 'rate_limited'],
});

/** With `keepPersonalTokens`, the personal tokens created with the login remain valid. */
export const revokeToken = defineRoute({
  ...endpoints.login.revokeToken,
  summary:
    'Revokes the token of the request; for a service token, also every token that came from its sign-in',
  body: z.strictObject({ keepPersonalTokens: z.boolean().optional() }).nullish(),
});

export const getProfile = defineRoute({
  ...endpoints.login.getProfile,
  summary: 'The account of the caller',
  response: z.object({
    user,
    namespace: z.string(),
    namespaces: z.array(namespace),
    token: z.object({
      kind: z.enum(['service', 'personal']),
      scope: tokenScope,
      expiresAt: timestamp.nullable(),
    }),
  }),
});

export const listTokens = defineRoute({
  ...endpoints.login.listTokens,
  summary: 'The personal access tokens of the caller',
  response: z.object({ tokens: z.array(personalAccessToken) }),
});

export const createToken = defineRoute({
  ...endpoints.login.createToken,
  summary: 'Creates a personal access token, within an hour of a sign-in; its secret is shown once',
  body: z.strictObject({
    name: z.string().trim().min(1).max(100),
    scope: tokenScope.default('read'),
    namespace: namespaceSlug.optional(),
    expiresInDays: z.int().min(1).max(3_650).optional(),
  }),
  response: personalAccessToken.extend({ token: z.string() }),
  errors: ['forbidden', 'recent_sign_in_required', 'not_found'],
});

export const deleteToken = defineRoute({
  ...endpoints.login.deleteToken,
  summary: 'Revokes a personal access token',
  params: z.strictObject({ id: z.string().max(100) }),
  errors: ['not_found', 'forbidden'],
});

export const listLogins = defineRoute({
  ...endpoints.login.listLogins,
  summary: 'The browsers and devices signed in to the account of the caller',
  response: z.object({ logins: z.array(login) }),
  errors: ['forbidden'],
});

/** Everything that came from a device's login, including its personal tokens, ends with it. */
export const endLogin = defineRoute({
  ...endpoints.login.endLogin,
  summary: 'Signs a browser or a device out',
  params: z.strictObject({ id: z.string().max(100) }),
  errors: ['not_found', 'forbidden'],
});

/** Ends every login and every personal token of the account, including this one. */
export const changePassword = defineRoute({
  ...endpoints.login.changePassword,
  summary: 'Changes the password of the caller, given the current one, and ends every login',
  body: z.strictObject({ currentPassword: z.string().max(1_000), newPassword: z.string().max(1_000) }),
  errors: ['forbidden', 'invalid_credentials', 'rate_limited'],
});

export const getSignInMethods = defineRoute({
  ...endpoints.login.getSignInMethods,
  summary: 'The ways in which the caller can sign in',
  response: signInMethods,
  errors: ['forbidden'],
});

/** Browsers and devices that signed in through it are signed out. Refused if it is the last way to sign in. */
export const disconnectProvider = defineRoute({
  ...endpoints.login.disconnectProvider,
  summary:
    'Disconnects the account of the caller from the OpenID Connect provider, within an hour of a sign-in',
  errors: ['not_found', 'forbidden', 'recent_sign_in_required', 'last_sign_in'],
});
