import type { FileClosure } from '../../../revision/file-closure.ts';

/**
 * The positions of files whose content (hash and size) is not in the previous closure. Both are sorted by path, so
 * unchanged files are skipped without a search.
 */
export function placesOfNewContent(closure: FileClosure, previous: FileClosure | null): Uint32Array {
  if (previous === null) return Uint32Array.from({ length: closure.count }, (_, place) => place);
  const added: number[] = [];
  let at = 0;
  for (let place = 0; place < closure.count; place++) {
    while (at < previous.count && previous.paths.compare(at, closure.paths, place) < 0) at++;
    const stayed = at < previous.count && closure.hasSameContent(place, previous, at);
    if (!stayed && !previous.holdsContentOf(closure, place)) added.push(place);
  }
  return Uint32Array.from(added);
}
