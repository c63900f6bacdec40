import type { FastifyReply, FastifyRequest } from 'fastify';
import { RECENT_SIGN_IN } from '../../access/operators.ts';
import { type AccountRow, loadAccount } from '../../accounts/accounts.ts';
import type { Context } from '../../context.ts';
import { requestOrigin } from '../../http/viewer.ts';
import { callerOf } from '../../limits/callers.ts';
import type { SetCookies, SignedIn } from '../../login/ports.ts';
import type { SignInOrigin } from '../../login/sign-in.ts';
import { formToken, requireFormToken, signInPath } from './form.ts';
import type { Page } from './page.ts';

/** A person whose browser is signed in. */
export interface Visitor {
  account: AccountRow;
  signedIn: SignedIn;
  formToken: string;
}

/** Returns who is signed in, or null. A form that they send must carry their form token. */
export async function readVisitor(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor | null> {
  const { visitor, cookies } = await readSignedIn(context, request);
  setCookies(reply, cookies);
  if (visitor === null) return null;
  const { account, signedIn } = visitor;
  if (request.method === 'POST') requireFormToken(request, signedIn);
  return { account, signedIn, formToken: formToken(signedIn) };
}

/** Returns whose session the browser has, if the account may still sign in. */
export async function readSignedIn(
  { db, webSessions }: Context,
  request: FastifyRequest,
): Promise<{ visitor: Pick<Visitor, 'account' | 'signedIn'> | null; cookies: SetCookies }> {
  const { signedIn, cookies } = await webSessions.read(request.headers.cookie);
  const account = signedIn && (await loadAccount(db, signedIn.accountId));
  const isOpen = signedIn && account && account.disabled_at === null;
  return { visitor: isOpen ? { account, signedIn } : null, cookies };
}

/** Wraps a handler for signed-in people; others are sent to sign in and then come back. */
export function forVisitors(
  context: Context,
  handler: (visitor: Visitor, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const visitor = await readVisitor(context, request, reply);
    if (visitor) return handler(visitor, request, reply);
    return reply.redirect(signInPath(context, pathOf(request)), 303);
  };
}

/** The same for what needs a recent sign-in: others must sign in again first. */
export function forRecentVisitors(
  context: Context,
  handler: (visitor: Visitor, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
) {
  return forVisitors(context, async (visitor, request, reply) => {
    const recent = context.clock() - visitor.signedIn.signedInAt <= RECENT_SIGN_IN;
    return recent
      ? handler(visitor, request, reply)
      : reply.redirect(signInPath(context, pathOf(request), true), 303);
  });
}

/** Where to come back to after signing in. A form has to be filled in again. */
function pathOf({ method, url }: FastifyRequest): string {
  return method === 'POST' ? (url.split('?', 1)[0] ?? '') : url;
}

/** Where a sign-in comes from. */
export function originOf(request: FastifyRequest): SignInOrigin {
  return {
    caller: callerOf(request.ip),
    cookieHeader: request.headers.cookie,
    request: requestOrigin(request),
  };
}

export function setCookies(reply: FastifyReply, cookies: SetCookies): void {
  if (cookies.length > 0) reply.header('set-cookie', cookies);
}

/** What the layout shows about the visitor. */
export function personOf({ account, formToken: token }: Visitor): Page['person'] {
  return { userName: account.user_name, formToken: token };
}
