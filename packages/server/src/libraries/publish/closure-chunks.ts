import type { StoredObject } from '../../objects/store.ts';
import type { ClosureFile, FileClosure } from '../../revision/file-closure.ts';

/** How many files are looked up at a time. */
const FILES_AT_ONCE = 500;

export interface PlacedFile {
  place: number;
  file: ClosureFile;
}

/** The files at these positions of a closure, in batches. */
export function* chunksOf(closure: FileClosure, places: Uint32Array): Generator<PlacedFile[]> {
  for (let at = 0; at < places.length; at += FILES_AT_ONCE) {
    yield Array.from(places.subarray(at, at + FILES_AT_ONCE), (place) => ({
      place,
      file: closure.at(place),
    }));
  }
}

/** One per hash. If a manifest claims two sizes for a hash, the first counts. */
export function distinctContents(files: readonly ClosureFile[]): StoredObject[] {
  const bySha256 = new Map<string, StoredObject>();
  for (const { sha256, size } of files) if (!bySha256.has(sha256)) bySha256.set(sha256, { sha256, size });
  return [...bySha256.values()];
}
