import type { ObjectAddress } from '../objects/store.ts';

/** A thumbnail of at most `width` pixels on its longer side. */
export interface SmallThumbnail extends ObjectAddress {
  width: number;
}

/** The picture cannot be scaled down: it is not a picture, it is damaged, or it takes too many resources. */
export class UnreadablePicture extends Error {}

/** Scales pictures down outside this process, because their contents are not trusted. */
export interface ThumbnailResizer {
  /** Returns WebP. Throws `UnreadablePicture`, and `ServiceError` (`unavailable`) while too many are waiting. */
  resize(thumbnail: SmallThumbnail): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Caches scaled pictures on this machine, within bounds. Evicted ones are created again. */
export interface ThumbnailCache {
  read(thumbnail: SmallThumbnail): Promise<Uint8Array | null>;
  write(thumbnail: SmallThumbnail, webp: Uint8Array): Promise<void>;
  /** Deletes the scaled pictures of a store. */
  deleteStore(storeId: string): Promise<void>;
}
