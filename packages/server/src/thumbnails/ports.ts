import type { ObjectAddress } from '../objects/store.ts';

/** A thumbnail of at most `width` pixels on its longer side. */
export interface SmallThumbnail extends ObjectAddress {
  width: number;
}

/** The picture cannot be made smaller: it is none, it is damaged, or it takes too much. */
export class Unreadable extends Error {}

/** Makes pictures smaller, away from this process: nobody vouches for what is in them. */
export interface ThumbnailResizer {
  /** WebP. Throws `Unreadable`, and `ServiceError` (`unavailable`) while too many wait. */
  resize(thumbnail: SmallThumbnail): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Keeps what was made, on this machine and within bounds. What it loses is made again. */
export interface ThumbnailCache {
  read(thumbnail: SmallThumbnail): Promise<Uint8Array | null>;
  write(thumbnail: SmallThumbnail, webp: Uint8Array): Promise<void>;
  /** Drops what was made of a store's pictures. */
  forget(storeId: string): Promise<void>;
}
