import { blocksFor } from '../../revision/vectors/block.ts';

/** Splits libraries, in their order, into runs that take at most so many blocks; one library is always a run. */
export function* waves<Library extends { assetCount: number }>(
  libraries: readonly Library[],
  mostBlocks: number,
): Generator<Library[]> {
  let wave: Library[] = [];
  let blocks = 0;
  for (const library of libraries) {
    const own = blocksFor(library.assetCount);
    if (wave.length > 0 && blocks + own > mostBlocks) {
      yield wave;
      wave = [];
      blocks = 0;
    }
    wave.push(library);
    blocks += own;
  }
  if (wave.length > 0) yield wave;
}
