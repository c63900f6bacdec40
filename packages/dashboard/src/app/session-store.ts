import type { User } from '@bindery/contract';
import { ApiError, type BrowserClientOptions, createBrowserClient } from '@bindery/sdk/browser';
import { unreachable } from './connection.ts';

/** The signed-in user. The token is held in memory only; the cookie that it came from gives no access to data. */
export interface Session {
  token: string;
  /** On the clock of `performance.now()`, which is never adjusted. */
  expiresAt: number;
  user: User;
  /** Whether they may use the Admin pages. */
  isOperator: boolean;
  /** The token that the sign-out form must carry. */
  formToken: string;
}

/** Milliseconds. A token that expires sooner than this is exchanged for a new one before use. */
const SPARE = 60_000;

/** Tracks who is signed in. The page and each of its workers have one. */
export class SessionStore {
  readonly #onRead: (session: Session | null) => void;
  #current: Promise<Session | null> | undefined;

  /** `onRead` is called with each session read from the service. */
  constructor(onRead: (session: Session | null) => void = () => {}) {
    this.#onRead = onRead;
  }

  /** Returns a session whose token stays valid for a while; null if signed out. Concurrent calls share a request. */
  async read(): Promise<Session | null> {
    this.#current ??= this.#exchange();
    try {
      const session = await this.#current;
      if (session === null || session.expiresAt - performance.now() > SPARE) return session;
    } catch (error) {
      this.forget();
      throw error;
    }
    this.forget();
    return this.read();
  }

  /** Makes the next `read` ask the service again. */
  forget(): void {
    this.#current = undefined;
  }

  /** Returns a client for the service that this page came from, as the signed-in user. */
  client(options: Pick<BrowserClientOptions, 'retry'> = {}) {
    return createBrowserClient({
      ...options,
      baseUrl: location.origin,
      token: async (refused) => {
        if (refused !== null) this.forget();
        return (await this.read())?.token ?? null;
      },
    });
  }

  async #exchange(): Promise<Session | null> {
    const asked = performance.now();
    const response = await postForm('/app/session');
    const { session } = (await response.json()) as {
      session: (Omit<Session, 'expiresAt'> & { expiresIn: number }) | null;
    };
    const read = session && { ...session, expiresAt: asked + session.expiresIn * 1_000 };
    this.#onRead(read);
    return read;
  }
}

/** Posts a form as the service's own pages do. Throws the same errors as the client. */
export async function postForm(path: string, body?: URLSearchParams): Promise<Response> {
  const init: RequestInit = {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'manual',
    body: body ?? null,
  };
  const response = await fetch(path, init).catch((cause: unknown) => {
    throw unreachable(location.origin, cause);
  });
  if (response.ok || response.type === 'opaqueredirect') return response;
  const { status } = response;
  const requestId = response.headers.get('x-request-id');
  throw new ApiError({
    status,
    code: `http_${status}`,
    message: `The service answered ${status}.`,
    requestId,
  });
}
