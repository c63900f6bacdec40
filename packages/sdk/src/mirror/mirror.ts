import { openTransport } from '../client/open-transport.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { Transport } from '../client/transport.ts';
import { readFolderObject } from './folder-object.ts';
import { type HttpMirror, readHttpObject } from './http-object.ts';
import { parseMirrorLocation } from './mirror-location.ts';
import { type ContentId, verified } from './verified.ts';

/** Objects by content that nobody need trust: whoever keeps them can only refuse them. */
export interface Mirror {
  /** As it was named. */
  readonly location: string;
  /**
   * Reads an object, and ends only where its bytes are those of the hash; until then nothing of it may be shown. Throws
   * `MirrorError` where it is not there, `IntegrityError` where it is another one, `NetworkError` for a broken connection.
   */
  read(object: ContentId, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface MirrorOptions {
  /** Bytes a second that transfers move at least, on average; null: however slow they are. */
  minTransferRate?: number | null | undefined;
  retry?: RetryPolicy | undefined;
  transport?: Transport | undefined;
}

const RETRY: RetryPolicy = { attempts: 6, pause: 250, longestPause: 30_000 };

/** Opens a folder, or an address that begins with `file:`, `http:` or `https:`. Throws a `TypeError` for anything else. */
export function openMirror(location: string, options: MirrorOptions = {}): Mirror {
  const place = parseMirrorLocation(location);
  if ('folder' in place) {
    return {
      location,
      read: (object, signal) =>
        verified(object, readFolderObject(place.folder, object.sha256, signal), `the mirror ${location}`),
      close: async () => {},
    };
  }
  const { minTransferRate: rate, retry = RETRY } = options;
  const leastRate = typeof rate === 'number' ? { rate } : rate;
  const transport = options.transport ?? openTransport({ leastRate });
  const mirror: HttpMirror = { url: place.url, transport, retry };
  return {
    location,
    read: (object, signal) =>
      verified(object, readHttpObject(mirror, object, signal), `the mirror ${location}`),
    close: () => transport.close(),
  };
}
