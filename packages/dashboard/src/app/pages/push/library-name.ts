/** The name of a library after a folder's; empty where nothing of it may stand in one. */
export function nameFrom(folder: string): string {
  return folder
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64);
}
