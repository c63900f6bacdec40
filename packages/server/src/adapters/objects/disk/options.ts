import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import type { DiskThreads } from './disk-workers.ts';

export interface DiskStoreOptions {
  folder: string;
  /** The id in the folder's mark, which is checked before anything is stored; null if it has none. */
  mark?: string | null;
  /** 32 random bytes that sign presigned URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Called first for every request for a presigned URL; throws to reject it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** Bytes that all responses together can read ahead of their clients. */
  readAheadBytes: number;
  /** Whether a missing object was lost: then its URL responds with `content_lost`, otherwise with 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  /** Called for an object whose bytes could not be read while it was sent. */
  reportDamaged: (object: ObjectAddress) => void;
  intake: UploadIntake;
  /** Bytes of the disk that uploads leave free. */
  reserveBytes: number;
  /** True in the one process that serves the store: it cleans up what an earlier process left unfinished. */
  owner: boolean;
  /** Shared with other stores; if omitted, the store creates its own. */
  threads?: DiskThreads | undefined;
}
