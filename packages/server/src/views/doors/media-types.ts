import { extname } from 'node:path/posix';

const TEXT = 'text/plain; charset=utf-8';
const XML = 'application/xml';

/**
 * Types that viewers and browsers expect, by extension. Scripts and style sheets have none, so that no page, not even
 * one of this service, can run or apply a file of a library.
 */
const MEDIA_TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.csv': 'text/csv; charset=utf-8',
  '.dae': 'model/vnd.collada+xml',
  '.gif': 'image/gif',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.hdr': 'image/vnd.radiance',
  '.html': 'text/html; charset=utf-8',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.ktx2': 'image/ktx2',
  '.md': TEXT,
  '.mjcf': XML,
  '.mp4': 'video/mp4',
  '.mtl': 'model/mtl',
  '.obj': 'model/obj',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.sdf': XML,
  '.stl': 'model/stl',
  '.svg': 'image/svg+xml',
  '.txt': TEXT,
  '.urdf': XML,
  '.usda': TEXT,
  '.usdz': 'model/vnd.usdz+zip',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xacro': XML,
  '.xml': XML,
  '.yaml': TEXT,
  '.yml': TEXT,
  '.zip': 'application/zip',
};

/** What a browser draws as a page of its own, with links, scripts or style sheets. */
const PAGES = /^(text\/html|image\/svg\+xml|application\/(xml|pdf)|model\/vnd\.collada\+xml)/;

/** Returns the media type of a file; `isPage`: whether a browser that is sent it would show a page. */
export function mediaTypeOf(path: string): { type: string; isPage: boolean } {
  const type = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return { type, isPage: PAGES.test(type) };
}
