import { AUTHORIZATION_PENDING, type BodyOf, routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { endOwnLogin, listOwnLogins } from '../../accounts/logins.ts';
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
} from '../../accounts/personal-access-tokens.ts';
import { disconnectViewer, readSignInMethods } from '../../accounts/sign-in-methods.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { serveStepwise } from '../../http/serve.ts';
import { ATTEMPT_LIMITS, createLoginLimit } from '../../limits/attempts.ts';
import { changePassword } from '../../login/change-password.ts';
import { pollDeviceLogin } from '../../login/device/poll.ts';
import { startDeviceLogin } from '../../login/device/start.ts';
import {
  exchangeAccessToken,
  readProfile,
  renewServiceToken,
  revokeToken,
} from '../../login/service-tokens.ts';

const { login } = routes;

/** The authorization server's part: device login, up to the access token. */
export function deviceLoginViews(app: FastifyInstance, context: Context): void {
  const limitLogin = createLoginLimit(context);

  serveStepwise(app, context, login.startDeviceLogin, async ({ body, request, reply }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.deviceStart);
    const { device_secret_hash, client_name } = readDeviceRequest(body);
    return startDeviceLogin(context, {
      secretHash: device_secret_hash,
      clientName: client_name,
      address: request.ip,
    });
  });

  serveStepwise(app, context, login.pollDeviceLogin, async ({ body, request, reply }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.devicePoll);
    const { device_secret_hash } = readDeviceRequest(body);
    const poll = await pollDeviceLogin(context, device_secret_hash);
    if (poll.state === 'pending') return reply.status(202).send({ error: AUTHORIZATION_PENDING });
    return {
      access_token: poll.accessToken,
      token_type: 'Bearer' as const,
      expires_in: poll.expiresInSeconds,
    };
  });
}

/** The service's part: its own tokens and the caller's profile. */
export function tokenViews(app: FastifyInstance, context: Context): void {
  const limitLogin = createLoginLimit(context);

  serveStepwise(app, context, login.exchangeToken, async ({ request, reply, body }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.tokens);
    body();
    return exchangeAccessToken(context, request.headers.authorization);
  });

  serveStepwise(app, context, login.renewToken, async ({ viewer, request, reply, body }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.tokens);
    body();
    return renewServiceToken(context, viewer);
  });

  serveStepwise(app, context, login.revokeToken, async ({ viewer, body }) => {
    await revokeToken(context, viewer, body() ?? {});
    return null;
  });

  serveStepwise(app, context, login.getProfile, async ({ viewer }) => readProfile(context, viewer));

  serveStepwise(app, context, login.listTokens, async ({ viewer }) => ({
    tokens: await listPersonalAccessTokens(context, viewer),
  }));

  serveStepwise(app, context, login.createToken, async ({ viewer, body }) =>
    createPersonalAccessToken(context, viewer, body),
  );

  serveStepwise(app, context, login.listLogins, async ({ viewer }) => ({
    logins: await listOwnLogins(context, viewer),
  }));

  serveStepwise(app, context, login.endLogin, async ({ viewer, params }) => {
    await endOwnLogin(context, viewer, params.id);
    return null;
  });

  serveStepwise(app, context, login.changePassword, async ({ viewer, body }) => {
    await changePassword(context, viewer, body);
    return null;
  });

  serveStepwise(app, context, login.getSignInMethods, async ({ viewer }) =>
    readSignInMethods(context, viewer),
  );

  serveStepwise(app, context, login.disconnectProvider, async ({ viewer }) => {
    await disconnectViewer(context, viewer);
    return null;
  });

  serveStepwise(app, context, login.deleteToken, async ({ viewer, params }) => {
    await deletePersonalAccessToken(context, viewer, params.id);
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
