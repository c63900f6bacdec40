import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import type { Credentials, CredentialsProvider } from './credentials.ts';
import type { S3Location } from './location.ts';

export interface S3StoreOptions {
  location: S3Location;
  credentials: Credentials | CredentialsProvider;
  /** Where copies of objects are kept for workers, and how many bytes of them. */
  cacheFolder: string;
  cacheBytes: number;
  /** 32 random bytes that sign the service's own URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Asked before anything else of every request for one of the service's own URLs; throws to refuse it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether an object that is not there was lost: then its URL answers `content_lost`, otherwise 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  intake: UploadIntake;
}
