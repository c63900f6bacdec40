import { extname } from 'node:path/posix';
import { FORMATS } from '@bindery/formats';

const TEXT = 'text/plain; charset=utf-8';

/**
 * Types that viewers and browsers expect, by extension. Scripts and style sheets have none, so that no page, not even
 * one of this service, can run or apply a file of a library.
 */
const MEDIA_TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json',
  '.md': TEXT,
  '.mp4': 'video/mp4',
  '.mtl': 'model/mtl',
  '.pdf': 'application/pdf',
  '.svg': 'image/svg+xml',
  '.txt': TEXT,
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.xml': 'application/xml',
  '.yaml': TEXT,
  '.yml': TEXT,
  '.zip': 'application/zip',
  ...Object.fromEntries(
    FORMATS.flatMap(({ mediaTypes = {} }) =>
      Object.entries(mediaTypes).map(([extension, type]) => [`.${extension}`, type]),
    ),
  ),
};

/** What a browser draws as a page of its own, with links, scripts or style sheets. */
const PAGES = /^(text\/html|image\/svg\+xml|application\/(xml|pdf)|model\/vnd\.collada\+xml)/;

/** Returns the media type of a file; `isPage`: whether a browser that is sent it would show a page. */
export function mediaTypeOf(path: string): { type: string; isPage: boolean } {
  const type = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return { type, isPage: PAGES.test(type) };
}

/** Returns the media type of an image or a model; everything else is bytes that browsers do not interpret. */
export function inertTypeOf(path: string): string {
  const { type, isPage } = mediaTypeOf(path);
  return /^(?:image|model)\//.test(type) && !isPage ? type : 'application/octet-stream';
}
