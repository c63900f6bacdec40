import type { User } from '@bindery/contract';
import { ApiError, type BrowserClientOptions, createBrowserClient, NetworkError } from '@bindery/sdk/browser';

/** Who is signed in in this browser. The token lives in memory alone; the cookie that it came from opens no data. */
export interface Session {
  token: string;
  /** On the clock of `performance.now()`, which nobody sets. */
  expiresAt: number;
  user: User;
  /** Whether the Admin pages are theirs. */
  isOperator: boolean;
  /** What the form that signs out carries. */
  formToken: string;
}

/** A token that ends sooner is exchanged for a fresh one before it is used, in milliseconds. */
const SPARE = 60_000;

/** Knows who is signed in: the page does, and each of its workers for itself. */
export class SignedIn {
  readonly #onRead: (session: Session | null) => void;
  #current: Promise<Session | null> | undefined;

  /** `onRead` is told of each answer of the service. */
  constructor(onRead: (session: Session | null) => void = () => {}) {
    this.#onRead = onRead;
  }

  /** With a token that is good for a while; null for nobody. Asked once for all that wait. */
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

  /** Has the service asked anew. */
  forget(): void {
    this.#current = undefined;
  }

  /** The service that this page came from, asked as whoever is signed in. */
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

/** As a form of the service's own pages. Throws what the client throws of any other request. */
export async function postForm(path: string, body?: URLSearchParams): Promise<Response> {
  const init: RequestInit = {
    method: 'POST',
    credentials: 'same-origin',
    redirect: 'manual',
    body: body ?? null,
  };
  const response = await fetch(path, init).catch((cause: unknown) => {
    throw new NetworkError(location.origin, `${location.origin} cannot be reached.`, { reason: null, cause });
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
