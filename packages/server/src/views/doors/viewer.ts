import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { logTransfer } from '../../http/access-log.ts';
import { asServiceError } from '../../http/errors.ts';
import { viewerOf } from '../../http/viewer.ts';

/** A request at a door, and what answers it. */
export interface Exchange<Asked extends FastifyRequest = FastifyRequest> {
  context: Context;
  request: Asked;
  reply: FastifyReply;
}

/** Counts and logs the answer as one transfer, however much it has. Throws `rate_limited` and `unavailable`. */
export function beginTransfer({ context, request, reply }: Exchange): void {
  context.objectResponses.admit(request.raw, reply.raw);
  logTransfer(context, request.raw, reply.raw);
}

/**
 * Returns who sent a request to a door: the token is a bearer, the password of HTTP Basic with any user name, or the
 * `Private-token` of Gazebo. Cookies do not count, so no page acts as whoever is signed in here. Throws `invalid_token`.
 */
export function viewerAtDoor(
  context: Context,
  request: FastifyRequest,
  authorization = request.headers.authorization,
): Promise<Viewer> {
  const { 'private-token': privateToken } = request.headers;
  const token = typeof privateToken === 'string' ? privateToken : passwordOf(authorization);
  const credentials = token === null ? authorization : `Bearer ${token}`;
  return viewerOf(context, 'optional', request, credentials?.replace(HUGGING_FACE_PREFIX, '$1'));
}

/** Some of Hugging Face's clients refuse a token without this prefix, so ours may have it in front. */
const HUGGING_FACE_PREFIX = /^(Bearer +)hf_/i;

/** Returns the password of HTTP Basic, or the user name of a client that sends the token as one; null without Basic. */
export function passwordOf(authorization: string | undefined): string | null {
  const [, encoded] = /^Basic +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return null;
  const [, userName = '', password = ''] =
    /^([^:]*):?(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return password || userName;
}

/** Lets clients that wait to be asked for a token send it as a password. */
export function askForPassword(app: FastifyInstance): void {
  app.setErrorHandler((error, _request, reply) => {
    if (asServiceError(error).status === 401)
      reply.header('www-authenticate', 'Basic realm="Bindery", charset="UTF-8", Bearer');
    throw error;
  });
}
