import type { ErrorCode, SemanticReason } from '@bindery/contract';
import type { EncodingFailure } from './search/encoder.ts';

/** The port to metrics: what the service counts. Times are seconds, sizes bytes. */
export interface Metrics {
  /** `route` is the pattern (`/libraries/:name`), never the path, so that the number of series stays bounded. */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Bytes of objects that came in through, or went out of, presigned URLs of this process. */
  bytesTransferred(direction: 'in' | 'out', bytes: number): void;
  /** A search was completed, with vectors (`on`) or, for the given reason, by keyword only. */
  searched(search: { semantic: SemanticReason; seconds: number }): void;
  /** A search waited this long for the encoder to return the vector of its query. */
  queryEncoded(query: { outcome: QueryOutcome; seconds: number }): void;
  /** A register ended: the library is new, has a new revision, or the register was refused with that code. */
  registered(register: { outcome: RegisterOutcome; seconds: number }): void;
  /** This many stored bytes were read again to verify them. */
  scrubbed(bytes: number): void;
  /** Stored bytes were found damaged or missing. */
  damageFound(what: StoredKind): void;
  /** Stored bytes were repaired. */
  damageRepaired(what: StoredKind): void;
  /** A delivery of a webhook was attempted. */
  webhookAttempted(outcome: AttemptOutcome): void;
  /** Sets how to read what is waiting to be sent to webhooks; it is read whenever the metrics are. */
  webhooksWaiting(read: () => Promise<WaitingDeliveries>): void;
  /** Sets how to read what the search engine has not been given yet; likewise. */
  searchChangesWaiting(read: () => Promise<WaitingChanges>): void;
}

/** Libraries that are to be published to the search engine. */
export interface WaitingChanges {
  libraries: number;
  /** How long the oldest has waited; 0 if none is waiting. */
  oldestSeconds: number;
}

/** Delivered, to be tried again, or permanently failed. */
export type AttemptOutcome = 'delivered' | 'deferred' | 'failed';

export interface WaitingDeliveries {
  /** Deliveries to active webhooks, and to paused ones. */
  active: number;
  paused: number;
  /** How long the oldest delivery to an active webhook has waited; 0 if none is waiting. */
  oldestSeconds: number;
}

/** The service rebuilds an index, which is derived; a file or a manifest must be restored by someone with a copy. */
export type StoredKind = 'file' | 'manifest' | 'index';

export type QueryOutcome = 'encoded' | 'remembered' | EncodingFailure;
export type RegisterOutcome = 'created' | 'updated' | ErrorCode;

/** Counts nothing. */
export const NO_METRICS: Metrics = {
  requestAnswered() {},
  bytesTransferred() {},
  searched() {},
  queryEncoded() {},
  registered() {},
  scrubbed() {},
  damageFound() {},
  damageRepaired() {},
  webhookAttempted() {},
  webhooksWaiting() {},
  searchChangesWaiting() {},
};
