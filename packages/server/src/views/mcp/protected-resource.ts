import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Context } from '../../context.ts';

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Serves the OAuth metadata of `/mcp` as a protected resource (RFC 9728): how tokens are sent, and their scopes. */
export function protectedResourceViews(app: FastifyInstance, { publicUrl }: Context, path: string): void {
  const answer = async () => ({
    resource: publicUrl() + path,
    resource_name: 'Bindery',
    bearer_methods_supported: ['header'],
    scopes_supported: ['read', 'write'],
  });
  for (const url of [WELL_KNOWN, WELL_KNOWN + path]) app.get(url, answer);
}

/** Adds the URL of that document to a 401 response. */
export function challenge(reply: FastifyReply, publicUrl: string, path: string): void {
  const document = `${publicUrl}${WELL_KNOWN}${path}`;
  reply.header('www-authenticate', `Bearer error="invalid_token", resource_metadata="${document}"`);
}
