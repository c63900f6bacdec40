import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import type { DiskThreads } from './disk-workers.ts';

export interface DiskStoreOptions {
  folder: string;
  /** 32 random bytes that sign presigned URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Asked before anything else of every request for a presigned URL; throws to refuse it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** What answers together may have read before their readers take it, in bytes. */
  readAheadBytes: number;
  /** Whether an object that is not there was lost: then its URL answers `content_lost`, otherwise 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  intake: UploadIntake;
  /** Bytes of the disk that uploads leave free. */
  reserveBytes: number;
  /** True in the one process that serves: it clears what an earlier one left half-done. */
  owner: boolean;
  /** Shared with other stores; without them the store has its own. */
  threads?: DiskThreads | undefined;
}
