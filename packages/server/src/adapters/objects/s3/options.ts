import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import type { CredentialsProvider } from './connect.ts';
import type { S3Location } from './s3-client.ts';
import type { Credentials } from './signature-v4.ts';

export interface S3StoreOptions {
  location: S3Location;
  credentials: Credentials | CredentialsProvider;
  /** Where copies of objects are cached for workers, and the maximum size of that cache. */
  cacheFolder: string;
  cacheBytes: number;
  /** 32 random bytes that sign the service's own URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Called first for every request for one of the service's own URLs; throws to reject it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a missing object was lost: then its URL responds with `content_lost`, otherwise with 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  intake: UploadIntake;
}
