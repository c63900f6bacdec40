import { blocksFor } from '../../revision/vectors/block.ts';

/** Splits libraries, in order, into groups that need at most `maxBlocks` blocks, or have a single library. */
export function* waves<Library extends { assetCount: number }>(
  libraries: readonly Library[],
  maxBlocks: number,
): Generator<Library[]> {
  let wave: Library[] = [];
  let blocks = 0;
  for (const library of libraries) {
    const own = blocksFor(library.assetCount);
    if (wave.length > 0 && blocks + own > maxBlocks) {
      yield wave;
      wave = [];
      blocks = 0;
    }
    wave.push(library);
    blocks += own;
  }
  if (wave.length > 0) yield wave;
}
