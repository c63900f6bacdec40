/** Turns texts and pictures into vectors of one space: the nearer in meaning, the larger the cosine. */
export interface Encoder {
  /** `<encoder library>/<model>/<pretrained>`, as it stands in a sidecar. */
  readonly id: string;
  /** How many numbers a vector has. */
  readonly dim: number;
  /** One vector of length 1 for each text, in their order. Throws `EncoderError`. */
  embedText(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>;
  /**
   * One vector of length 1 for each picture (the bytes of a PNG, JPEG or WebP file), in their order. Throws
   * `EncoderError`; with `failure: 'image'` its `index` says which one cannot be decoded.
   */
  embedImages(images: readonly Uint8Array[], options?: EmbedOptions): Promise<Float32Array[]>;
  /** Ends the thread and frees the model; calls that wait fail with `failure: 'closed'`. */
  close(): Promise<void>;
}

export interface EmbedOptions {
  /** Gives the call up; one that waits leaves the queue. */
  signal?: AbortSignal | undefined;
}

export interface EncoderOptions {
  /** Where models are kept: see `modelFolder`. */
  folder: string;
  /** A short name, or `<library>/<model>/<pretrained>`: see `modelId`. */
  model: string;
  /** Longest time for one batch, in milliseconds, once the model is loaded. */
  timeLimit?: number;
  /** Longest time to load the model, in milliseconds. */
  loadTimeLimit?: number;
  /** How many calls may wait; one more fails with `EncoderBusy`. */
  queueLength?: number;
  /** How many threads one run of the model uses. */
  threads?: number;
}
