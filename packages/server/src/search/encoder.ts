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
  /** A vector of length 1 and 768 numbers, and the model that it was made with. */
  | { ok: true; model: string; vector: Float32Array }
  /** Why there is none, as one sentence for an operator. */
  | { ok: false; reason: string };

/** The encoder of a service that has none. */
export const NO_ENCODER: Encoder = {
  model: null,
  encodeQuery: async () => ({ ok: false, reason: 'No encoder is set up.' }),
  close: async () => {},
};
