import { fileURLToPath } from 'node:url';
import { openTransport } from '../client/open-transport.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { parseServerAddress } from '../client/server-urls.ts';
import type { Transport } from '../client/transport.ts';
import {
  type ContentId,
  exchange,
  type HttpMirror,
  objectPath,
  readFolderFile,
  readHttpObject,
  verifyContent,
} from './objects.ts';

/** A store of objects by content that need not be trusted: it can only withhold objects, since all are verified. */
export interface Mirror {
  /** As the caller named it. */
  readonly location: string;
  /**
   * Reads an object. Completes only if the bytes match the hash; until then none may be shown. Throws `MirrorError` if
   * the object is missing, `IntegrityError` if its bytes are wrong, `NetworkError` if the connection breaks.
   */
  read(object: ContentId, signal?: AbortSignal): AsyncIterable<Uint8Array>;
  /** Reads a file by its path without verifying it. Throws `MirrorError`, `ApiError` and `NetworkError`. */
  readUnverified(path: string, signal?: AbortSignal): AsyncIterable<Uint8Array>;
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
          readFolderFile(place.folder, objectPath(object.sha256), signal),
          `the mirror ${location}`,
        ),
      readUnverified: (path, signal) => readFolderFile(place.folder, path, signal),
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
    readUnverified: (path, signal) => exchange(mirror, path, 0, signal),
    close: () => transport.close(),
  };
}

/** Where a mirror is: a folder on this machine, or a web server's `url`, without a trailing slash. */
export type MirrorLocation = { folder: string } | { url: string };

/** At least two characters, since a single letter is a Windows drive. */
const SCHEME = /^([a-z][a-z0-9+.-]+):/i;

/** Parses a folder, or a `file:`, `http:` or `https:` URL. Throws a `TypeError` that says what is wrong. */
export function parseMirrorLocation(text: string): MirrorLocation {
  if (text === '') throw new TypeError('A mirror is a folder or an address.');
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) return { folder: text };
  if (scheme === 'http' || scheme === 'https') return { url: parseServerAddress(text) };
  if (scheme === 'file') return { folder: folderOfUrl(text) };
  throw new TypeError(
    `A mirror is a folder, or an address that begins with file:, http: or https: ("${text}").`,
  );
}

function folderOfUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new TypeError(
      `"${text}" does not name a folder of this machine; expected something like file:///media/stick/mirror`,
    );
  }
}
