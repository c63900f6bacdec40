import type { Logger } from 'pino';

/** How often those that may change are asked for. */
const RENEWED_EVERY_MS = 60_000;

/** Of an S3 store. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials. */
  sessionToken?: string | undefined;
}

/** Gets credentials; new ones some minutes before the last ones expire, as the providers of the SDK do. */
export type CredentialsProvider = () => Promise<Credentials>;

/** The credentials by which a bucket is used now: those that were given, or what a provider gives again and again. */
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
 * Gets credentials from where other programs for AWS find them: a profile, single sign-on, a web identity (Kubernetes), the
 * container's or the machine's role.
 */
export async function defaultProvider(): Promise<CredentialsProvider> {
  const { defaultProvider: chain } = await import('@aws-sdk/credential-provider-node');
  return chain();
}
