/** A model that turns texts and pictures into vectors of one space; the SDK brings none of its own. */
export interface EmbeddingModel {
  /** `<encoder library>/<model>/<pretrained>`, as it stands in a sidecar. */
  readonly id: string;
  /** What decides its numbers, as it is on this machine; null where it is not. Equal versions give equal vectors. */
  readonly version: string | null;
  /** It has no vectors of pictures. */
  readonly textOnly?: boolean;
  /** Loads it. Called only where something has to be encoded; throws where it is not on this machine. */
  open(): Promise<Embedder>;
}

/** Vectors have length 1 and `dim` numbers, and come in the order of what was given. */
export interface Embedder {
  readonly dim: number;
  /** The version of what was loaded. */
  readonly version: string;
  embedText(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Pictures are files of any usual format; one that cannot be decoded gives a warning. */
  embedImages(images: readonly Uint8Array[], signal?: AbortSignal): Promise<EmbeddedImage[]>;
  close(): Promise<void>;
}

export type EmbeddedImage = Float32Array | { warning: string };
