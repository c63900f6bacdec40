import { AUTHORIZATION_PENDING, type BodyOf, routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { endOwnLogin, listOwnLogins } from '../../accounts/logins.ts';
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
} from '../../accounts/personal-access-tokens.ts';
import { ServiceError } from '../../errors.ts';
import { ATTEMPT_LIMITS } from '../../login/attempts.ts';
import { changePassword } from '../../login/change-password.ts';
import { pollDeviceLogin } from '../../login/device/poll.ts';
import { startDeviceLogin } from '../../login/device/start.ts';
import { disconnectViewer, readSignInMethods } from '../../login/oidc/disconnect.ts';
import { readProfile } from '../../login/profile.ts';
import { exchangeAccessToken, renewServiceToken, revokeToken } from '../../login/service-tokens.ts';
import type { Parts } from '../../parts.ts';
import { createLoginLimit } from '../http/login-limit.ts';
import { serve } from './serve.ts';

const { login } = routes;

/** The authorization server's part: device login, up to the access token. */
export function deviceLoginViews(app: FastifyInstance, parts: Parts): void {
  const limitLogin = createLoginLimit(parts);

  serve(app, parts, login.startDeviceLogin, async ({ body, request, reply }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.deviceStart);
    const { device_secret_hash, client_name } = readDeviceRequest(body);
    return startDeviceLogin(parts, {
      secretHash: device_secret_hash,
      clientName: client_name,
      address: request.ip,
    });
  });

  serve(app, parts, login.pollDeviceLogin, async ({ body, request, reply }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.devicePoll);
    const { device_secret_hash } = readDeviceRequest(body);
    const poll = await pollDeviceLogin(parts, device_secret_hash);
    if (poll.state === 'pending') return reply.status(202).send({ error: AUTHORIZATION_PENDING });
    return {
      access_token: poll.accessToken,
      token_type: 'Bearer' as const,
      expires_in: poll.expiresInSeconds,
    };
  });
}

/** The service's part: its own tokens and the caller's profile. */
export function tokenViews(app: FastifyInstance, parts: Parts): void {
  const limitLogin = createLoginLimit(parts);

  serve(app, parts, login.exchangeToken, async ({ request, reply, body }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.tokens);
    body();
    return exchangeAccessToken(parts, request.headers.authorization);
  });

  serve(app, parts, login.renewToken, async ({ viewer, request, reply, body }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.tokens);
    body();
    return renewServiceToken(parts, viewer);
  });

  serve(app, parts, login.revokeToken, async ({ viewer, body }) => {
    await revokeToken(parts, viewer, body() ?? {});
    return null;
  });

  serve(app, parts, login.getProfile, async ({ viewer }) => readProfile(parts, viewer));

  serve(app, parts, login.listTokens, async ({ viewer }) => ({
    tokens: await listPersonalAccessTokens(parts, viewer),
  }));

  serve(app, parts, login.createToken, async ({ viewer, body }) =>
    createPersonalAccessToken(parts, viewer, body),
  );

  serve(app, parts, login.listLogins, async ({ viewer }) => ({ logins: await listOwnLogins(parts, viewer) }));

  serve(app, parts, login.endLogin, async ({ viewer, params }) => {
    await endOwnLogin(parts, viewer, params.id);
    return null;
  });

  serve(app, parts, login.changePassword, async ({ viewer, body }) => {
    await changePassword(parts, viewer, body);
    return null;
  });

  serve(app, parts, login.getSignInMethods, async ({ viewer }) => readSignInMethods(parts, viewer));

  serve(app, parts, login.disconnectProvider, async ({ viewer }) => {
    await disconnectViewer(parts, viewer);
    return null;
  });

  serve(app, parts, login.deleteToken, async ({ viewer, params }) => {
    await deletePersonalAccessToken(parts, viewer, params.id);
    return null;
  });
}

type DeviceRequest = BodyOf<typeof login.startDeviceLogin>;

/** Reports anything wrong with the fields of a device request as `invalid_request`, as in OAuth. */
function readDeviceRequest<Body extends Pick<DeviceRequest, 'device_secret_hash'>>(body: () => Body): Body {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    throw new ServiceError('invalid_request', error.message, error.details);
  }
}
