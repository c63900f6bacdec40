/** A model that maps texts and pictures to vectors of one space. The SDK does not include one. */
export interface EmbeddingModel {
  /** `<encoder library>/<model>/<pretrained>`, as recorded in a sidecar. */
  readonly id: string;
  /** The version on this machine, null if the model is missing. Equal versions give equal vectors. */
  readonly version: string | null;
  /** Whether the model cannot encode pictures. */
  readonly textOnly?: boolean;
  /** Loads the model. Called only if something has to be encoded; throws if the model is not on this machine. */
  open(): Promise<Embedder>;
}

/** Returns vectors of length 1 with `dim` numbers, in the order of the input. */
export interface Embedder {
  readonly dim: number;
  /** The version of the loaded model. */
  readonly version: string;
  embedText(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** `images` are the contents of files in any usual format. One that cannot be decoded gives a warning. */
  embedImages(images: readonly Uint8Array[], signal?: AbortSignal): Promise<EmbeddedImage[]>;
  close(): Promise<void>;
}

export type EmbeddedImage = Float32Array | { warning: string };
