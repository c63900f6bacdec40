import type { MaintenanceContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { FileClosure } from '../../revision/file-closure.ts';
import { chunksOf, distinctContents } from './closure-chunks.ts';

/** What the store has lost of the previous revision's content. */
export interface LostContent {
  /** Positions of files that must be stored again. */
  places: number[];
  /** Paths of platform artifacts that were not sent again. They are derived, so the revision can do without them. */
  artifacts: string[];
}

/**
 * Looks up every file of a closure except those at `added`. `damaged` are hashes of objects known to be damaged.
 */
export async function findLostContent(
  { objects }: MaintenanceContext,
  storeId: string,
  closure: FileClosure,
  { added, damaged }: { added: Uint32Array; damaged: ReadonlySet<string> },
): Promise<LostContent> {
  const lost = new Set(await objects.findAbsent(storeId, closure.contents));
  for (let place = 0; damaged.size > 0 && place < closure.count; place++) {
    if (damaged.has(closure.sha256(place))) lost.add(place);
    if (turnIsOver()) await nextTurn();
  }
  for (const place of added) lost.delete(place);
  const found: LostContent = { places: [], artifacts: [] };
  for (const chunk of chunksOf(closure, Uint32Array.from(lost))) {
    const sentAgain = await objects.findStaged(storeId, distinctContents(chunk.map(({ file }) => file)));
    for (const { place, file } of chunk) {
      if (file.platform && !sentAgain.has(file.sha256)) found.artifacts.push(file.path);
      else found.places.push(place);
    }
  }
  return found;
}
