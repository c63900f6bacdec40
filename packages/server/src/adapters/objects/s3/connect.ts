import type { Logger } from 'pino';
import { Bucket } from './bucket.ts';
import { type Credentials, type CredentialsProvider, CurrentCredentials } from './credentials.ts';
import type { S3Location } from './location.ts';
import { SignatureV4 } from './signature-v4.ts';

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
  const bucket = new Bucket(location, signer, () => current.get());
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
