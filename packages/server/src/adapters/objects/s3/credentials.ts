import type { Logger } from 'pino';

/** How often a provider is asked for credentials. */
const RENEWED_EVERY_MS = 60_000;

/** Credentials of an S3 store. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Only in temporary credentials. */
  sessionToken?: string | undefined;
}

/** Returns credentials, and new ones some minutes before the last ones expire, as the providers of the SDK do. */
export type CredentialsProvider = () => Promise<Credentials>;

/** The current credentials of a bucket: fixed ones, or those of a provider that is asked periodically. */
export class CurrentCredentials {
  readonly #timer: NodeJS.Timeout | null;
  #now: Credentials;

  private constructor(first: Credentials, timer: NodeJS.Timeout | null) {
    this.#now = first;
    this.#timer = timer;
  }

  static async open(
    source: Credentials | CredentialsProvider,
    log: Pick<Logger, 'error'>,
  ): Promise<CurrentCredentials> {
    if (typeof source !== 'function') return new CurrentCredentials(source, null);
    const renew = async () => {
      try {
        current.#now = await source();
      } catch (error) {
        log.error({ err: error }, 'the credentials for the object store could not be renewed');
      }
    };
    const timer = setInterval(renew, RENEWED_EVERY_MS).unref();
    const current = new CurrentCredentials(await source(), timer);
    return current;
  }

  get(): Credentials {
    return this.#now;
  }

  close(): void {
    if (this.#timer) clearInterval(this.#timer);
  }
}

/**
 * Returns a provider that finds credentials where other AWS programs do: a profile, single sign-on, a web identity
 * (Kubernetes), or the role of the container or the machine.
 */
export async function defaultProvider(): Promise<CredentialsProvider> {
  const { defaultProvider: chain } = await import('@aws-sdk/credential-provider-node');
  return chain();
}
