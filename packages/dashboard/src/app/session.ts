import type { Callable } from '@bindery/contract';
import {
  type Caller,
  type CallRequest,
  createBrowserClient,
  type Identity,
  retryable,
} from '@bindery/sdk/browser';
import { notifyManager, QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query';
import { isUnreachable, retryDelayAfter, retryWhileUnreachable } from './connection.ts';
import { postForm, type Session, SessionStore } from './session-store.ts';

export type { Session } from './session-store.ts';

/** Query key of the session. */
export const SESSION_KEY = ['session'] as const;

const sessionStore = new SessionStore(onSessionRead);

/** Returns the session with a token that remains valid for a while; null if nobody is signed in. */
export const readSession = (): Promise<Session | null> => sessionStore.read();

/** Notifies other tabs of the account id that is signed in in this browser; null for nobody. */
const tabs = new BroadcastChannel('bindery-session');

/** The account whose data this tab shows; undefined before the first session was read. */
let shownAccountId: string | null | undefined;

/** When a different user or nobody is signed in, every tab drops the data fetched for the previous user. */
function onSessionRead(session: Session | null): void {
  const who = session?.user.id ?? null;
  if (who === shownAccountId) return;
  const isFirst = shownAccountId === undefined;
  shownAccountId = who;
  tabs.postMessage(who);
  if (isFirst) return;
  queries.setQueryData(SESSION_KEY, session);
  queries.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
}

tabs.addEventListener('message', ({ data: who }: MessageEvent<string | null>) => {
  if (shownAccountId !== undefined && who !== shownAccountId) void refreshSession();
});

/** Reads the session again, after the service has reported a different user or nobody. */
export function refreshSession(): Promise<void> {
  sessionStore.forget();
  return queries.invalidateQueries({ queryKey: SESSION_KEY });
}

/** Signs this browser out in every tab, and opens the sign-in page. */
export async function signOut({ formToken }: Session): Promise<void> {
  const body = new URLSearchParams({ form_token: formToken });
  await retryWhileUnreachable(() => postForm('/sign-out', body));
  tabs.postMessage(null);
  location.assign('/sign-in');
}

/** Calls the service that this page came from, as the signed-in user. */
export const service = sessionStore.client();

/** The query for what a route answers, kept in the cache by `queryKey`. */
export const queryOf = <R extends Callable>(queryKey: QueryKey, route: R, request: CallRequest<R>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => service.call(route, { ...request, signal }) });

/** Changes something by a route, then reads again what is kept below `queryKey`, or else everything. */
export async function change<R extends Callable>(route: R, request: CallRequest<R>, queryKey: QueryKey = []) {
  const answer = await service.call(route, request);
  await queries.invalidateQueries({ queryKey });
  return answer;
}

/** Deletes what a page shows, leaves the page, and reads again everything but that, which was kept below `queryKey`. */
export async function remove<R extends Callable>(
  route: R,
  request: CallRequest<R>,
  leave: () => Promise<unknown>,
  queryKey: QueryKey,
) {
  await service.call(route, request);
  await leave();
  queries.removeQueries({ queryKey });
  await queries.invalidateQueries();
}

const anonymousClient = createBrowserClient({ baseUrl: location.origin });

/** Whom a list is shown to, so that one user's data is never shown to another. */
export function identityOf(session: Session | null): Identity {
  return session === null ? { kind: 'anonymous-preview' } : { kind: 'account', id: session.user.id };
}

/** Returns the client for an identity. */
export function clientFor(identity: Identity): Caller {
  return identity.kind === 'account' ? service : anonymousClient;
}

const ATTEMPTS = 3;

// The page shows that something has begun before the next click arrives. After a timer, a double click would run it twice.
notifyManager.setScheduler(queueMicrotask);

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      // While the service is unreachable, data stays on screen and the page reports the outage.
      retry: (failures, error) =>
        isUnreachable(error) || (failures < ATTEMPTS && retryable(error, true) !== null),
      retryDelay: retryDelayAfter,
      // Reachability is determined by requests, because the service may run on this machine.
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    mutations: {
      networkMode: 'always',
    },
  },
});
