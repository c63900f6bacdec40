import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { AccountViewer, Viewer } from '../access/viewer.ts';
import { PASS_PREFIX } from '../accounts/import-passes.ts';
import { TOKEN_PREFIX, viewerOfPersonalAccessToken } from '../accounts/personal-access-tokens.ts';
import type { Context, Credentials } from '../context.ts';
import { invalidToken } from '../errors.ts';
import { viewerOfBrowserToken, viewerOfServiceToken } from './service-tokens.ts';
import { bearerToken } from './signed-tokens.ts';

type AuthenticateParts = Pick<Context, 'db' | 'clock' | 'tokens' | 'importPasses'>;

/** Creates the function that turns a request's credentials into a viewer. */
export function createAuthenticate(context: AuthenticateParts) {
  const viewerOfToken = coalesceCalls((token) => viewerOf(context, token));
  return async function authenticate({
    authorization,
    shareToken = undefined,
  }: Credentials): Promise<Viewer> {
    const share = shareToken || null;
    if (authorization === undefined) return { kind: 'anonymous', shareToken: share };
    const viewer = await viewerOfToken(bearerToken(authorization));
    if (!viewer) throw invalidToken();
    return { ...viewer, shareToken: share };
  };
}

async function viewerOf(context: AuthenticateParts, token: string): Promise<AccountViewer | null> {
  if (token.startsWith(PASS_PREFIX)) return context.importPasses.viewerOf(token);
  if (token.startsWith(TOKEN_PREFIX)) return viewerOfPersonalAccessToken(context, token);
  const claims = await context.tokens.verify(['bindery:api', 'bindery:browser'], token);
  if (!claims) return null;
  return claims.audience === 'bindery:browser'
    ? viewerOfBrowserToken(context, claims)
    : viewerOfServiceToken(context, claims);
}

/**
 * Coalesces calls with the same key within one turn of the event loop. `ask` runs when the turn ends, so a result is
 * never older than any of its calls.
 */
export function coalesceCalls<Value>(ask: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const waiting = new Map<string, Promise<Value>>();
  return (key) => {
    const known = waiting.get(key);
    if (known) return known;
    const asked = endOfTurn().then(() => {
      waiting.delete(key);
      return ask(key);
    });
    waiting.set(key, asked);
    return asked;
  };
}
