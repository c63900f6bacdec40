/**
 * The port to the active query encoder. It runs off the event loop, with limits on time and queue length; vectors of
 * recent queries are cached.
 */
export interface Encoder {
  /** The id of the active model, as sidecars name it; null while no encoder can be used. Can change at any time. */
  readonly model: string | null;

  /** What else is known of the active model; null while no encoder can be used. */
  readonly facts: EncoderFacts | null;

  /** Turns a query into a vector. Never throws. */
  encodeQuery(text: string): Promise<EncodedQuery>;

  /** Turns texts of assets into vectors; queries are answered in between. Never throws. */
  encodeTexts(texts: readonly string[]): Promise<EncodedItems>;

  /** Likewise pictures of assets, PNG, JPEG or WebP; null for each that cannot be decoded. Never throws. */
  encodePictures(pictures: readonly Uint8Array[]): Promise<EncodedItems<Float32Array | null>>;

  /**
   * Returns what compares the text of an asset with a query, word by word: how far its words say what each of the query's
   * says, from 0 to 1. Null if the active model does not compare words. Never throws.
   */
  compareWords(query: string): Promise<CompareText | null>;

  /** Starts loading the model if it is not loaded yet, so that the next query need not wait for it. */
  prepare(): void;

  close(): Promise<void>;
}

export type CompareText = (text: string) => number;

export interface EncoderFacts {
  /** Equal versions give equal vectors. */
  version: string;
  /** The number of dimensions of the model; vectors of fewer than 768 are followed by zeros here, which change no cosine. */
  dim: number;
  encodesImages: boolean;
}

export type EncodedQuery =
  /**
   * A vector of 768 numbers and length 1, and the model that made it; `cached`: for an earlier search. Assets with a
   * cosine of at least `relatedFrom` are related to the query; others are merely nearer than the rest. Null if that is
   * not known of the model.
   */
  | { ok: true; model: string; vector: Float32Array; relatedFrom: number | null; cached: boolean }
  /** Why there is no vector, as one sentence for an operator. */
  | { ok: false; failure: EncodingFailure; reason: string };

/** Vectors as of a query, and the version of the model that made them. */
export type EncodedItems<Vector = Float32Array> =
  | { ok: true; model: string; version: string; vectors: Vector[] }
  | { ok: false; failure: EncodingFailure; reason: string };

export type EncodingFailure =
  /** There is no model, or nothing to run it with. */
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
  /** The model could not be run, or its process terminated. */
  | 'failed'
  /** The service is shutting down. */
  | 'closed';

const NONE = { ok: false, failure: 'missing', reason: 'No encoder is set up.' } as const;

/** The encoder of a service that has none. */
export const NO_ENCODER: Encoder = {
  model: null,
  facts: null,
  encodeQuery: async () => NONE,
  encodeTexts: async () => NONE,
  encodePictures: async () => NONE,
  compareWords: async () => null,
  prepare: () => {},
  close: async () => {},
};
