/**
 * The port to the active query encoder. It works off the event loop, with bounds on time and queue; vectors of
 * recent queries come from a cache.
 */
export interface Encoder {
  /** The id of the active model, as sidecars name it; null while no encoder can be used. May change at any time. */
  readonly model: string | null;

  /** Turns a query into a vector. Never throws. */
  encodeQuery(text: string): Promise<EncodedQuery>;

  /** Begins to load the model, where it is not loaded yet, so that the next query need not wait for it. */
  prepare(): void;

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
  /** The model's folder does not match its description. */
  | 'damaged'
  /** The model is still being loaded. */
  | 'loading'
  /** The vector came too late for the search. */
  | 'late'
  /** The model failed recently and is paused. */
  | 'resting'
  /** Too many queries are waiting. */
  | 'busy'
  /** The model exceeded its time limit. */
  | 'time'
  /** The model did not return a valid vector. */
  | 'output'
  /** The model could not be run, or its process ended. */
  | 'failed'
  /** The service stops. */
  | 'closed';

/** The encoder of a service that has none. */
export const NO_ENCODER: Encoder = {
  model: null,
  encodeQuery: async () => ({ ok: false, failure: 'missing', reason: 'No encoder is set up.' }),
  prepare: () => {},
  close: async () => {},
};
