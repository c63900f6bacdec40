import type { User } from '@bindery/contract';
import { type Caller, createBrowserClient, type Identity, retryable } from '@bindery/sdk/browser';
import { QueryClient } from '@tanstack/react-query';

/** Who is signed in in this browser. The token lives in memory alone; the cookie that it came from opens no data. */
export interface Session {
  token: string;
  /** On the clock of `performance.now()`, which nobody sets. */
  expiresAt: number;
  user: User;
  /** What the form that signs out carries. */
  formToken: string;
}

/** A token that ends sooner is exchanged for a fresh one before it is used, in milliseconds. */
const SPARE = 60_000;

/** Where the cache keeps who is signed in. */
export const SESSION_KEY = ['session'] as const;

let current: Promise<Session | null> | undefined;

/** Who is signed in, with a token that is good for a while; null for nobody. Asked once for all that wait. */
export async function readSession(): Promise<Session | null> {
  current ??= exchange();
  try {
    const session = await current;
    if (session === null || session.expiresAt - performance.now() > SPARE) return session;
  } catch (error) {
    current = undefined;
    throw error;
  }
  current = undefined;
  return readSession();
}

async function exchange(): Promise<Session | null> {
  const asked = performance.now();
  const response = await fetch('/app/session', { method: 'POST', credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The session cannot be read (${response.status}).`);
  const { session } = (await response.json()) as {
    session: (Omit<Session, 'expiresAt'> & { expiresIn: number }) | null;
  };
  const read = session && { ...session, expiresAt: asked + session.expiresIn * 1_000 };
  noteWho(read);
  return read;
}

/** Tells the other tabs who is signed in in this browser, as an account's id; null for nobody. */
const tabs = new BroadcastChannel('bindery-session');

/** The account that this tab shows things to; undefined before it was first asked. */
let shownTo: string | null | undefined;

/** Once somebody else is signed in, or nobody, what was fetched for the one before is forgotten in every tab. */
function noteWho(session: Session | null): void {
  const who = session?.user.id ?? null;
  if (who === shownTo) return;
  const isFirst = shownTo === undefined;
  shownTo = who;
  tabs.postMessage(who);
  if (isFirst) return;
  queries.setQueryData(SESSION_KEY, session);
  queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

tabs.addEventListener('message', ({ data: who }: MessageEvent<string | null>) => {
  if (shownTo === undefined || who === shownTo) return;
  current = undefined;
  queries.invalidateQueries({ queryKey: SESSION_KEY });
});

/** Signs this browser out, in every tab, and shows where to sign in. */
export async function signOut({ formToken }: Session): Promise<void> {
  await fetch('/sign-out', {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'manual',
    body: new URLSearchParams({ form_token: formToken }),
  });
  tabs.postMessage(null);
  location.assign('/sign-in');
}

/** The service that this page came from, asked as whoever is signed in. */
export const service = createBrowserClient({
  baseUrl: location.origin,
  token: async (refused) => {
    if (refused !== null) current = undefined;
    return (await readSession())?.token ?? null;
  },
});

const asNobody = createBrowserClient({ baseUrl: location.origin });

/** Who a list is shown to, so that what one person was shown is never shown to another. */
export function identityOf(session: Session | null): Identity {
  return session === null ? { kind: 'anonymous-preview' } : { kind: 'account', id: session.user.id };
}

/** The client that asks for somebody. */
export function clientFor(identity: Identity): Caller {
  return identity.kind === 'account' ? service : asNobody;
}

const ATTEMPTS = 3;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < ATTEMPTS && retryable(error, true) !== null,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 8_000),
    },
  },
});
