const CONTENT_TYPES: Record<string, string> = {
  '.avif': 'image/avif',
  '.bmp': 'image/bmp',
  '.gif': 'image/gif',
  '.glb': 'model/gltf-binary',
  '.gltf': 'model/gltf+json',
  '.hdr': 'image/vnd.radiance',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.ktx2': 'image/ktx2',
  '.mtl': 'model/mtl',
  '.obj': 'model/obj',
  '.png': 'image/png',
  '.stl': 'model/stl',
  '.webp': 'image/webp',
};

/**
 * Returns the media type of images and models by extension; everything else is served as bytes that browsers do not
 * interpret.
 */
export function contentTypeOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return (dot >= 0 && CONTENT_TYPES[fileName.slice(dot).toLowerCase()]) || 'application/octet-stream';
}

const PLAIN = /^[A-Za-z0-9 ._+-]*$/;

/**
 * Returns the `Content-Disposition` of a download (RFC 6266): a plain name for all clients, and the exact name for
 * those that read `filename*`.
 */
export function attachment(fileName: string): string {
  if (PLAIN.test(fileName)) return `attachment; filename="${fileName}"`;
  const plain = fileName.replace(/[^A-Za-z0-9 ._+-]/gu, '_');
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
