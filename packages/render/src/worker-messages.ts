import type { RenderLimits } from './limits.ts';
import type { Thumbnail } from './thumbnail.ts';

/** What the pool tells a worker. */
export type ToWorker =
  | {
      readonly type: 'render';
      readonly kind: string;
      readonly format: string | undefined;
      readonly entry: string;
      readonly sizes: ReadonlyMap<string, number>;
      readonly limits: Partial<RenderLimits> | undefined;
    }
  | { readonly type: 'bytes'; readonly path: string; readonly bytes: Uint8Array }
  | { readonly type: 'unreadable'; readonly path: string; readonly message: string };

/** What a worker tells the pool. */
export type FromWorker =
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'done'; readonly thumbnail: Thumbnail };
