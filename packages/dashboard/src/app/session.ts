import { type Caller, createBrowserClient, type Identity, retryable } from '@bindery/sdk/browser';
import { QueryClient } from '@tanstack/react-query';
import { isUnreachable, pauseAfter, untilReached } from './connection.ts';
import { postForm, type Session, SignedIn } from './signed-in.ts';

export type { Session } from './signed-in.ts';

/** Where the cache keeps who is signed in. */
export const SESSION_KEY = ['session'] as const;

const signedIn = new SignedIn(noteWho);

/** Who is signed in, with a token that is good for a while; null for nobody. */
export const readSession = (): Promise<Session | null> => signedIn.read();

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
  if (shownTo !== undefined && who !== shownTo) void askWhoIsSignedIn();
});

/** Asks anew who is signed in, where the service has said that it is somebody else, or nobody. */
export function askWhoIsSignedIn(): Promise<void> {
  signedIn.forget();
  return queries.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Signs this browser out, in every tab, and shows where to sign in. */
export async function signOut({ formToken }: Session): Promise<void> {
  const body = new URLSearchParams({ form_token: formToken });
  await untilReached(() => postForm('/sign-out', body));
  tabs.postMessage(null);
  location.assign('/sign-in');
}

/** The service that this page came from, asked as whoever is signed in. */
export const service = signedIn.client();

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
      // What is shown stays while the service is away, and the page says so.
      retry: (failures, error) =>
        isUnreachable(error) || (failures < ATTEMPTS && retryable(error, true) !== null),
      retryDelay: pauseAfter,
      // Whether the service is there is seen by asking it: it may be on this machine.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: {
      networkMode: 'always',
    },
  },
});
