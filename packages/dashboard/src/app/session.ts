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
  return session && { ...session, expiresAt: asked + session.expiresIn * 1_000 };
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
