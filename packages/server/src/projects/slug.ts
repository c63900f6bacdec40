const LONGEST_SLUG = 64;

/** Derives a slug from a display name: ASCII letters and digits joined by dashes; "project" if none is left. */
export function slugOf(displayName: string): string {
  const ascii = displayName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST_SLUG - 6)
    .replace(/-+$/, '');
  return ascii || 'project';
}

/** Returns the first of `base`, `base-2`, `base-3`, … that is not taken. */
export function freeSlug(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(base)) return base;
  let number = 2;
  while (taken.has(`${base}-${number}`)) number++;
  return `${base}-${number}`;
}
