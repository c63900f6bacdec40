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
