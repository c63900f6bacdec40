import type { FileClosure } from '../revision/file-closure.ts';

/**
 * The places of those files of a closure whose content, hash and size, is nowhere in the previous one. Both are
 * sorted by path, so files that stayed where they were are found in one pass.
 */
export function placesOfNewContent(closure: FileClosure, previous: FileClosure | null): Uint32Array {
  if (previous === null) return Uint32Array.from({ length: closure.count }, (_, place) => place);
  const moved = placesChanged(closure, previous);
  const known = contentsAmong(closure, moved, previous);
  return moved.filter((place) => known.get(closure.hashKey(place)) !== closure.size(place));
}

/** Files that the previous closure does not have with the same content at the same path. */
function placesChanged(closure: FileClosure, previous: FileClosure): Uint32Array {
  const changed: number[] = [];
  let at = 0;
  for (let place = 0; place < closure.count; place++) {
    while (at < previous.count && previous.paths.compare(at, closure.paths, place) < 0) at++;
    const samePath = at < previous.count && previous.paths.compare(at, closure.paths, place) === 0;
    if (!samePath || !closure.hasSameContent(place, previous, at)) changed.push(place);
  }
  return Uint32Array.from(changed);
}

/** Sizes by hash of those contents that the previous closure has at any path. */
function contentsAmong(
  closure: FileClosure,
  places: Uint32Array,
  previous: FileClosure,
): Map<string, number> {
  const known = new Map<string, number>();
  if (places.length === 0) return known;
  const wanted = new Set<string>();
  for (const place of places) wanted.add(closure.hashKey(place));
  for (let at = 0; at < previous.count; at++) {
    const key = previous.hashKey(at);
    if (wanted.has(key)) known.set(key, previous.size(at));
  }
  return known;
}
