import { openTransport } from '../client/open-transport.ts';
import type { RetryPolicy } from '../client/retry.ts';
import type { Transport } from '../client/transport.ts';
import { readFolderObject } from './folder-object.ts';
import { type HttpMirror, readHttpObject } from './http-object.ts';
import { parseMirrorLocation } from './mirror-location.ts';
import { type ContentId, verifyContent } from './verify-content.ts';

/** A store of objects by content that need not be trusted: it can only withhold objects, since all are verified. */
export interface Mirror {
  /** As the caller named it. */
  readonly location: string;
  /**
   * Reads an object. Completes only if the bytes match the hash; until then none may be shown. Throws `MirrorError` if
   * the object is missing, `IntegrityError` if its bytes are wrong, `NetworkError` if the connection breaks.
   */
  read(object: ContentId, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

export interface MirrorOptions {
  /** Minimum average rate of transfers in bytes per second; null: no minimum. */
  minTransferRate?: number | null | undefined;
  retry?: RetryPolicy | undefined;
  transport?: Transport | undefined;
}

const RETRY: RetryPolicy = { attempts: 6, pause: 250, maxPause: 30_000 };

/** Opens a mirror: a folder, or a `file:`, `http:` or `https:` URL. Throws a `TypeError` for anything else. */
export function openMirror(location: string, options: MirrorOptions = {}): Mirror {
  const place = parseMirrorLocation(location);
  if ('folder' in place) {
    return {
      location,
      read: (object, signal) =>
        verifyContent(
          object,
          readFolderObject(place.folder, object.sha256, signal),
          `the mirror ${location}`,
        ),
      close: async () => {},
    };
  }
  const { minTransferRate: rate, retry = RETRY } = options;
  const minimumRate = typeof rate === 'number' ? { rate } : rate;
  const transport = options.transport ?? openTransport({ minimumRate });
  const mirror: HttpMirror = { url: place.url, transport, retry };
  return {
    location,
    read: (object, signal) =>
      verifyContent(object, readHttpObject(mirror, object, signal), `the mirror ${location}`),
    close: () => transport.close(),
  };
}
