import { LIBRARY_NAME, NAMESPACE_SLUG, RELEASE_NAME } from '@bindery/contract';
import type { DoorAddress } from '../../doors/revision.ts';

/** Decodes the segments of a URL's path, without its query. A segment that cannot be decoded is null. */
export function segmentsOf(url: string): (string | null)[] {
  const [path = ''] = url.split('?', 1);
  return path.split('/').map((segment) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return null;
    }
  });
}

/** Returns the address of a library in a path. A malformed name becomes the empty one, which nothing has. */
export function addressOf(namespace: unknown, name: unknown, at?: unknown): DoorAddress {
  const named = (value: unknown, { pattern }: { pattern: RegExp }) =>
    typeof value === 'string' && pattern.test(value) ? value : '';
  return {
    namespace: named(namespace, NAMESPACE_SLUG),
    name: named(name, LIBRARY_NAME),
    at: at === undefined ? undefined : named(at, RELEASE_NAME),
  };
}

/**
 * Joins the segments of a file's or folder's path. Returns null for a path that is not canonical: nothing is resolved
 * and no encoded slash separates, so that every file has one address.
 */
export function pathOf(segments: readonly (string | null)[]): string | null {
  const isCanonical = segments.every(
    (segment, at) =>
      segment !== null &&
      (segment !== '' || at === segments.length - 1) &&
      segment !== '.' &&
      segment !== '..' &&
      !/[/\\\0]/.test(segment),
  );
  return isCanonical ? segments.join('/') : null;
}
