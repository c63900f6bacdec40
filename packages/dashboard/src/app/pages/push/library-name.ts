/** Derives a library name from a folder's name; empty if no character of it is allowed in one. */
export function nameFrom(folder: string): string {
  return folder
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64);
}
