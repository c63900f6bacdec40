import { AUTHORIZATION_PENDING, type BodyOf, routes } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../access/viewer.ts';
import {
  endOwnLogin,
  listOwnLogins,
  loadOwnLogin,
  requireSignedIn,
  type SignedInViewer,
} from '../../accounts/logins.ts';
import {
  createPersonalAccessToken,
  deletePersonalAccessToken,
  listPersonalAccessTokens,
  loadOwnToken,
  requireTokenCreator,
} from '../../accounts/personal-access-tokens.ts';
import { disconnectViewer, readSignInMethods } from '../../accounts/sign-in-methods.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { anyone, serve, serveStepwise } from '../../http/serve.ts';
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
    const { device_secret_hash, client_name } = await readDeviceRequest(body);
    return startDeviceLogin(context, {
      secretHash: device_secret_hash,
      clientName: client_name,
      address: request.ip,
    });
  });

  serveStepwise(app, context, login.pollDeviceLogin, async ({ body, request, reply }) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.devicePoll);
    const { device_secret_hash } = await readDeviceRequest(body);
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
  const limitTokens = (_context: Context, _viewer: Viewer, _params: unknown, { request, reply }: Arriving) =>
    limitLogin(request, reply, ATTEMPT_LIMITS.tokens);
  const signedIn = (_context: Context, viewer: Viewer): SignedInViewer => requireSignedIn(viewer);

  serve(app, context, login.exchangeToken, {
    access: limitTokens,
    run: (context, { request }) => exchangeAccessToken(context, request.headers.authorization),
  });

  serve(app, context, login.renewToken, {
    access: limitTokens,
    run: (context, { viewer }) => renewServiceToken(context, viewer),
  });

  serve(app, context, login.revokeToken, {
    access: anyone,
    run: (context, { viewer, body }) => revokeToken(context, viewer, body ?? {}),
  });

  serve(app, context, login.getProfile, {
    access: anyone,
    run: (context, { viewer }) => readProfile(context, viewer),
  });

  serve(app, context, login.listTokens, {
    access: anyone,
    run: async (context, { viewer }) => ({ tokens: await listPersonalAccessTokens(context, viewer) }),
  });

  serve(app, context, login.createToken, {
    access: (_context, viewer) => requireTokenCreator(viewer),
    run: (context, { target, body }) => createPersonalAccessToken(context, target, body),
  });

  serve(app, context, login.deleteToken, {
    access: ({ db }, viewer, { id }) => loadOwnToken(db, viewer, id),
    run: (context, { viewer, target }) => deletePersonalAccessToken(context, viewer, target),
  });

  serve(app, context, login.listLogins, {
    access: signedIn,
    run: async (context, { target }) => ({ logins: await listOwnLogins(context, target) }),
  });

  serve(app, context, login.endLogin, {
    access: ({ db }, viewer, { id }) => loadOwnLogin(db, viewer, id),
    run: (context, { viewer, target }) => endOwnLogin(context, viewer, target),
  });

  serve(app, context, login.changePassword, {
    access: signedIn,
    run: (context, { target, body }) => changePassword(context, target, body),
  });

  serve(app, context, login.getSignInMethods, {
    access: signedIn,
    run: (context, { target }) => readSignInMethods(context, target),
  });

  serve(app, context, login.disconnectProvider, {
    access: signedIn,
    run: (context, { target }) => disconnectViewer(context, target),
  });
}

type Arriving = { request: FastifyRequest; reply: FastifyReply };
type DeviceRequest = BodyOf<typeof login.startDeviceLogin>;

/** Reports anything wrong with the fields of a device request as `invalid_request`, as in OAuth. */
async function readDeviceRequest<Body extends Pick<DeviceRequest, 'device_secret_hash'>>(
  body: () => Promise<Body>,
): Promise<Body> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 400) throw error;
    throw new ServiceError('invalid_request', error.message, error.details);
  }
}
