import type { ErrorCode, SemanticReason } from '@bindery/contract';
import type { EncodingFailure } from './search/encoder.ts';

/** The port to metrics: what the service counts. Times are seconds, sizes bytes. */
export interface Metrics {
  /** `route` is the pattern (`/libraries/:name`), never the path, so that the number of series stays bounded. */
  requestAnswered(request: { method: string; route: string; status: number; seconds: number }): void;
  /** Bytes of objects that came in through, or went out of, presigned URLs of this process. */
  bytesTransferred(direction: 'in' | 'out', bytes: number): void;
  /** A search was answered, with vectors (`on`) or, for this reason, by keywords alone. */
  searched(search: { semantic: SemanticReason; seconds: number }): void;
  /** A search asked the encoder for the vector of its query, and waited so long. */
  queryEncoded(query: { outcome: QueryOutcome; seconds: number }): void;
  /** A register ended: the library is new, has a new revision, or was refused with that code. */
  registered(register: { outcome: RegisterOutcome; seconds: number }): void;
  /** So many stored bytes were read again, to find out whether they are what they were. */
  scrubbed(bytes: number): void;
  /** Stored bytes were found damaged or missing. */
  damageFound(what: StoredKind): void;
  /** Stored bytes were repaired. */
  damageMended(what: StoredKind): void;
  /** A delivery of a webhook was attempted. */
  webhookAttempted(outcome: AttemptOutcome): void;
  /** How to read what waits to be sent to webhooks, which is done whenever somebody looks at the metrics. */
  webhooksWaiting(read: () => Promise<WaitingDeliveries>): void;
}

/** Delivered, to be tried again, or failed for good. */
export type AttemptOutcome = 'delivered' | 'deferred' | 'failed';

export interface WaitingDeliveries {
  /** To webhooks that are sent to, and to those that are paused. */
  active: number;
  paused: number;
  /** Since when the oldest to an active webhook has waited; 0: none does. */
  oldestSeconds: number;
}

/**
 * The service rebuilds an index, which is derived; a file or a manifest comes back from someone with a copy.
 */
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
  damageMended() {},
  webhookAttempted() {},
  webhooksWaiting() {},
};
