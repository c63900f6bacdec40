import type { FastifyInstance, FastifyRequest } from 'fastify';
import { visitor } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { requestOrigin } from '../../http/viewer.ts';
import { callerOf } from '../../limits/callers.ts';
import { decideDeviceLogin, findDeviceLogin, type PendingDeviceLogin } from '../../login/device/decide.ts';
import { formatUserCode } from '../../login/device/start.ts';
import { field } from './form.ts';
import { type Html, html, type Page, sendPage, sendRefusal } from './page.ts';
import { forRecentVisitors, forVisitors, personOf, type Visitor } from './session.ts';

const OUTCOMES = {
  approved: {
    title: 'Approved',
    body: html`<p class="done">The device is signed in.</p><p>You can close this page and go back to it.</p>`,
  },
  declined: {
    title: 'Declined',
    body: html`<p>The device was denied access. If you did not start this yourself, there is nothing else to do.</p>`,
  },
} as const;

/**
 * Serves the approval of a device login: type or confirm the code, compare, decide. A link only fills the code in. An
 * approval starts a separate sign-in, so the browser's own must be recent.
 */
export function devicePages(app: FastifyInstance, context: Context): void {
  app.get(
    '/device',
    forRecentVisitors(context, async (visitor, request, reply) =>
      sendPage(reply, codePage(visitor, field(request, 'user_code'))),
    ),
  );

  app.post(
    '/device',
    forRecentVisitors(context, async (visitor, request, reply) => {
      const code = field(request, 'user_code');
      const decision = readDecision(request);
      const approver = approverOf(visitor, request);
      try {
        if (decision === null) {
          const login = await findDeviceLogin(context, approver, code);
          return sendPage(reply, decisionPage(visitor, login, context.clock()));
        }
        await decideDeviceLogin(context, approver, code, decision);
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return sendRefusal(reply, error, codePage(visitor, code));
      }
      return reply.redirect(`/device/${decision}`, 303);
    }),
  );

  for (const [decision, page] of Object.entries(OUTCOMES)) {
    app.get(
      `/device/${decision}`,
      forVisitors(context, async (visitor, _request, reply) =>
        sendPage(reply, { ...page, person: personOf(visitor) }),
      ),
    );
  }
}

function approverOf({ account, signedIn }: Visitor, request: FastifyRequest) {
  const actor = visitor(account.user_name, requestOrigin(request));
  return { accountId: account.id, session: signedIn.session, caller: callerOf(request.ip), actor };
}

function readDecision(request: FastifyRequest): keyof typeof OUTCOMES | null {
  const decision = field(request, 'decision');
  return decision === 'approved' || decision === 'declined' ? decision : null;
}

function codePage(visitor: Visitor, code: string): Page {
  return {
    title: 'Connect a device',
    person: personOf(visitor),
    body: html`<form method="post" action="/device">
${hiddenToken(visitor)}
<div class="field">
<label for="user_code">Code</label>
<input class="code" id="user_code" name="user_code" value="${code.slice(0, 20)}" required autofocus
autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" aria-describedby="user_code-hint">
<p class="hint" id="user_code-hint">Eight letters, as your device shows them</p>
</div>
<button>Continue</button>
</form>`,
  };
}

function decisionPage(visitor: Visitor, login: PendingDeviceLogin, now: number): Page {
  const code = formatUserCode(login.userCode);
  return {
    title: 'Is this your device?',
    person: personOf(visitor),
    body: html`<p>Your device must show exactly this code. If it shows another one, or if you did not start this
yourself, decline.</p>
<output class="code" aria-label="Code">${code}</output>
<dl>
<dt>Device</dt><dd>${login.clientName ?? 'gave no name'}</dd>
<dt>Address</dt><dd>${login.address}</dd>
<dt>Started</dt><dd>${startedAt(login.startedAt, now)}</dd>
</dl>
<p>An approved device acts as <strong>${visitor.account.user_name}</strong> for 30 days, and up to 180 while it is in
use: it can read and change whatever you can.</p>
<form class="choice" method="post" action="/device">
${hiddenToken(visitor)}
<input type="hidden" name="user_code" value="${code}">
<button name="decision" value="declined">Decline</button>
<button name="decision" value="approved">Approve</button>
</form>`,
  };
}

function hiddenToken({ formToken }: Visitor): Html {
  return html`<input type="hidden" name="form_token" value="${formToken}">`;
}

/** Formats a time at most ten minutes ago: `3 minutes ago, at 14:05 UTC`. */
function startedAt(time: number, now: number): Html {
  const minutes = Math.floor((now - time) / 60_000);
  const ago = minutes < 1 ? 'just now' : `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} ago`;
  const iso = new Date(time).toISOString();
  return html`<time datetime="${iso}">${ago}, at ${iso.slice(11, 16)} UTC</time>`;
}
