import type { ResponseOf } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readClaims } from '@bindery/sdk';
import { defineCommand, flag } from '../command.ts';
import type { Context } from '../context.ts';
import { sanitizeLine } from '../output/text.ts';
import { notSignedIn } from '../sign-in-errors.ts';

export const profile = defineCommand({
  name: 'profile',
  summary: 'Show who is signed in',
  inputs: {
    cached: flag('read the stored token only, without asking the server'),
  },
  examples: [
    ['bindery profile', 'ask the server who you are'],
    ['bindery profile --cached', 'works offline'],
  ],
  run: ({ cached }, context) => (cached ? readCached(context) : askServer(context)),
  json: (result) => (result.kind === 'server' ? result.profile : result.cached),
  render(result, output) {
    if (result.kind === 'cached') {
      const { userName, source, expiresAt, server } = result.cached;
      return output.fields([
        ['user', userName ?? 'not stated in the token'],
        ['server', server],
        ['token', source],
        ['expires', describeExpiry(expiresAt)],
      ]);
    }
    const { user, namespace, namespaces, token } = result.profile;
    output.fields([
      [
        'user',
        `${sanitizeLine(user.userName)} (${sanitizeLine(user.displayName)}, ${sanitizeLine(user.email)})`,
      ],
      ['namespace', sanitizeLine(namespace)],
      [
        'member of',
        namespaces.map(({ slug, viewerRole }) => `${sanitizeLine(slug)} (${viewerRole})`).join(', '),
      ],
      ['server', result.server],
      ['token', `${result.source}, scope ${token.scope}`],
      ['expires', token.expiresAt ?? 'never'],
    ]);
  },
});

type Shown =
  | { kind: 'server'; profile: ResponseOf<typeof routes.login.getProfile>; server: string; source: string }
  | { kind: 'cached'; cached: CachedProfile };

/** The claims of the token itself, unverified. */
interface CachedProfile {
  userName: string | null;
  server: string;
  source: string;
  expiresAt: string | null;
}

async function askServer(context: Context): Promise<Shown> {
  const client = await context.signedInClient();
  const found = await context.token();
  const profile = await client.call(routes.login.getProfile, {});
  return { kind: 'server', profile, server: client.baseUrl, source: found?.sourceName ?? '' };
}

async function readCached(context: Context): Promise<Shown> {
  const { server } = await context.settings();
  const found = await context.token();
  if (!found) throw notSignedIn(server);
  const claims = readClaims(found.token);
  const expiresAt = claims?.expiresAt ? new Date(claims.expiresAt).toISOString() : null;
  return {
    kind: 'cached',
    cached: { userName: claims?.userName ?? null, server, source: found.sourceName, expiresAt },
  };
}

function describeExpiry(expiresAt: string | null): string {
  if (expiresAt === null) return 'not stated in the token';
  return Date.parse(expiresAt) <= Date.now() ? `${expiresAt} (expired)` : expiresAt;
}
