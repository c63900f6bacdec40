import { z } from 'zod';
import { namespace, personalAccessToken, tokenScope, user } from '../account.ts';
import { namespaceSlug, sha256Hex } from '../names.ts';
import { noBody, noContent, none, timestamp } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const startDeviceLogin = defineRoute({
  method: 'POST',
  path: '/api/device/start',
  summary: 'Starts a device login',
  authentication: 'public',
  params: none,
  query: none,
  body: z.strictObject({ device_secret_hash: sha256Hex, client_name: z.string().max(200).optional() }),
  success: 200,
  response: z.object({
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int(),
    interval: z.int(),
  }),
  errors: ['invalid_request', 'rate_limited'],
});

/** Answers 202 `{error: "authorization_pending"}` until the person has decided. */
export const pollDeviceLogin = defineRoute({
  method: 'POST',
  path: '/api/device/poll',
  summary: 'Collects the access token of an approved device login, once',
  authentication: 'public',
  params: none,
  query: none,
  body: z.strictObject({ device_secret_hash: sha256Hex }),
  success: 200,
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
  method: 'POST',
  path: '/api/auth/exchange',
  summary: 'Exchanges the access token of a device login for a service token, once',
  authentication: 'public',
  params: none,
  query: none,
  body: none.nullish(),
  success: 200,
  response: serviceToken,
  errors: ['invalid_token', 'rate_limited'],
});

export const renewToken = defineRoute({
  method: 'POST',
  path: '/api/auth/renew',
  summary: 'Renews a service token that is still valid',
  authentication: 'required',
  params: none,
  query: none,
  body: none.nullish(),
  success: 200,
  response: serviceToken,
  errors: ['forbidden', 'rate_limited'],
});

/** With `keepPersonalTokens` the personal tokens made with the login go on by themselves. */
export const revokeToken = defineRoute({
  method: 'POST',
  path: '/api/auth/revoke',
  summary: 'Ends the token that the request carries; a service token with all that came of its sign-in',
  authentication: 'required',
  params: none,
  query: none,
  body: z.strictObject({ keepPersonalTokens: z.boolean().optional() }).nullish(),
  success: 204,
  response: noContent,
  errors: [],
});

export const getProfile = defineRoute({
  method: 'GET',
  path: '/api/auth/profile',
  summary: 'The account of the caller',
  authentication: 'required',
  params: none,
  query: none,
  body: noBody,
  success: 200,
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
  errors: [],
});

export const listTokens = defineRoute({
  method: 'GET',
  path: '/api/auth/tokens',
  summary: 'The personal access tokens of the caller',
  authentication: 'required',
  params: none,
  query: none,
  body: noBody,
  success: 200,
  response: z.object({ tokens: z.array(personalAccessToken) }),
  errors: [],
});

export const createToken = defineRoute({
  method: 'POST',
  path: '/api/auth/tokens',
  summary: 'Creates a personal access token, within an hour of a sign-in; its secret is shown once',
  authentication: 'required',
  params: none,
  query: none,
  body: z.strictObject({
    name: z.string().trim().min(1).max(100),
    scope: tokenScope.default('read'),
    namespace: namespaceSlug.optional(),
    expiresInDays: z.int().min(1).max(3_650).optional(),
  }),
  success: 201,
  response: personalAccessToken.extend({ token: z.string() }),
  errors: ['forbidden', 'recent_sign_in_required', 'not_found'],
});

export const deleteToken = defineRoute({
  method: 'DELETE',
  path: '/api/auth/tokens/:id',
  summary: 'Revokes a personal access token',
  authentication: 'required',
  params: z.strictObject({ id: z.string().max(100) }),
  query: none,
  body: noBody,
  success: 204,
  response: noContent,
  errors: ['not_found', 'forbidden'],
});
