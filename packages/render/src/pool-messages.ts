import type { RenderLimits } from './limits.ts';
import type { Thumbnail } from './thumbnail.ts';

/** What the pool tells one of its processes. */
export type ToProcess =
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

/** What a process of the pool tells it. */
export type FromProcess =
  | { readonly type: 'read'; readonly path: string }
  | { readonly type: 'done'; readonly thumbnail: Thumbnail };
