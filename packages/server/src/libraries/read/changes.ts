import type { NumberedAddress } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { MaintenanceContext } from '../../context.ts';
import { openRevision } from '../../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { loadRevision } from './revisions.ts';

interface Changes {
  from: number;
  to: number;
  added: string[];
  removed: string[];
  /** With what differs: `files`, `title`, `license` … */
  changed: { id: string; facts: string[] }[];
}

/** Compares the assets of two revisions, the earlier one first. Throws `not_found` for one that cannot be read. */
export async function readChanges(
  context: MaintenanceContext,
  viewer: Viewer,
  earlier: NumberedAddress,
  later: NumberedAddress,
): Promise<Changes> {
  const open = async (address: NumberedAddress) =>
    openRevision(context, (await loadRevision(context, viewer, address)).row);
  const [from, to] = [await open(earlier), await open(later)];
  const changes: Changes = {
    from: from.row.revision,
    to: to.row.revision,
    added: [],
    removed: [],
    changed: [],
  };
  for (let number = 0; number < to.index.assetCount; number++) {
    if (turnIsOver()) await nextTurn();
    const id = to.index.assetId(number);
    const before = from.index.indexOfAsset(id);
    if (before < 0) changes.added.push(id);
    else {
      const facts = changedFacts(factsOf(from.index, before), factsOf(to.index, number));
      if (facts.length > 0) changes.changed.push({ id, facts });
    }
  }
  for (let number = 0; number < from.index.assetCount; number++) {
    if (turnIsOver()) await nextTurn();
    const id = from.index.assetId(number);
    if (to.index.indexOfAsset(id) < 0) changes.removed.push(id);
  }
  return changes;
}

function factsOf(index: RevisionIndex, number: number): Readonly<Record<string, unknown>> {
  const { assetId: _, digest: files, ...card } = index.card(number);
  return { ...card, ...index.remainder(number), files };
}

function changedFacts(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  return Object.keys({ ...before, ...after })
    .filter((fact) => JSON.stringify(before[fact]) !== JSON.stringify(after[fact]))
    .sort();
}
