/**
 * The port to the one active encoder of queries. What it does takes place away from the event loop, bounded in time and
 * in queue; vectors of queries asked before come from a cache.
 */
export interface Encoder {
  /** The id of the active model, as sidecars name it; null while no encoder can be used. May change at any time. */
  readonly model: string | null;

  /** Turns a query into a vector. Never throws. */
  encodeQuery(text: string): Promise<EncodedQuery>;

  close(): Promise<void>;
}

export type EncodedQuery =
  /** A vector of length 1 and 768 numbers, and the model that it was made with, now or for an earlier search. */
  | { ok: true; model: string; vector: Float32Array; remembered: boolean }
  /** Why there is none, as one sentence for an operator. */
  | { ok: false; failure: EncodingFailure; reason: string };

export type EncodingFailure =
  /** There is no model, or nothing that runs it. */
  | 'missing'
  /** What lies in the model's folder is not what its description says. */
  | 'damaged'
  /** The model is not there yet. */
  | 'loading'
  /** The vector did not come while the search could wait. */
  | 'late'
  /** The model failed just now and is let alone. */
  | 'resting'
  /** Too many queries wait already. */
  | 'busy'
  /** The model ran for longer than it may. */
  | 'time'
  /** What the model answered is no vector. */
  | 'output'
  /** The model could not be run, or its process ended. */
  | 'failed'
  /** The service stops. */
  | 'closed';

/** The encoder of a service that has none. */
export const NO_ENCODER: Encoder = {
  model: null,
  encodeQuery: async () => ({ ok: false, failure: 'missing', reason: 'No encoder is set up.' }),
  close: async () => {},
};
