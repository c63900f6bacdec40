import type { Logger } from 'pino';
import { type Credentials, SignatureV4 } from '../../../signature-v4.ts';
import { Bucket } from './bucket.ts';
import type { S3Location } from './s3-client.ts';

export interface Connection {
  bucket: Bucket;
  signer: SignatureV4;
  close(): void;
}

export interface ConnectOptions {
  location: S3Location;
  credentials: Credentials | CredentialsProvider;
  log: Pick<Logger, 'error'>;
}

/** Throws if the bucket cannot be reached with these credentials. */
export async function connect({ location, credentials, log }: ConnectOptions): Promise<Connection> {
  const current = await CurrentCredentials.open(credentials, log);
  const signer = new SignatureV4(() => current.get(), location.region);
  const bucket = new Bucket(location, signer);
  const close = () => {
    bucket.close();
    current.close();
  };
  try {
    await bucket.check();
  } catch (error) {
    close();
    throw error;
  }
  return { bucket, signer, close };
}

/** How often a provider is asked for credentials. */
const RENEWED_EVERY_MS = 60_000;

/** Returns credentials, and new ones some minutes before the last ones expire, as the providers of Amazon's SDK do. */
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
