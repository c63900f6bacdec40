import type { AssetChange, Manifest } from '@bindery/contract';
import { type ChangedAsset, diffManifests } from '@bindery/sdk/diff';
import { compareMessages } from '../../messages/compare.ts';

/** What a push measured or drew: written by machines, and told by the pictures. */
export const MADE = /^(meta\.statistics|thumbnail|digest)\b/;

/** How many assets a sentence names. */
const FEW = 3;

/** Says what somebody did to the assets of a library, in sentences without a full stop. */
export function changeWords(changes: readonly AssetChange[]): string[] {
  const text = compareMessages.did;
  const titles = new Map(changes.map(({ id, before, after }) => [id, after?.title ?? before?.title ?? id]));
  const names = (ids: readonly string[]) => {
    const few = ids.slice(0, FEW).map((id) => titles.get(id) ?? id);
    return text.names(few, ids.length - few.length);
  };
  const part = (side: 'before' | 'after') =>
    ({ assets: changes.flatMap((change) => change[side] ?? []) }) as unknown as Manifest;
  const { assets, changes: found } = diffManifests(part('before'), part('after'));
  const stated = found.filter((change) => !isMade(change));
  const made = found.filter(isMade).map(({ id }) => id);
  const untold = changes.filter(({ untold }) => untold).map(({ id }) => id);
  const others = [...stated.slice(FEW).map(({ id }) => id), ...untold];
  return [
    ...(assets.added.length > 0 ? [text.added(names(assets.added))] : []),
    ...(assets.removed.length > 0 ? [text.removed(names(assets.removed))] : []),
    ...stated.slice(0, FEW).map((change) => changeOf(change, names([change.id]))),
    ...(others.length > 0 ? [text.changed(names(others))] : []),
    ...(made.length > 0 ? [text.made(names(made))] : []),
  ];
}

function isMade({ facts, files }: ChangedAsset): boolean {
  const count = files.added.length + files.changed.length + files.removed.length;
  return count === 0 && facts.every(({ fact }) => MADE.test(fact));
}

/** `Changed Arm: Licence from MIT to Apache-2.0, Tags, 2 files`. */
function changeOf({ facts, files }: ChangedAsset, name: string): string {
  const text = compareMessages.did;
  const count = files.added.length + files.changed.length + files.removed.length;
  const told = facts
    .filter(({ fact }) => !MADE.test(fact))
    .map(({ fact, before, after }) =>
      text.fact(compareMessages.factName(fact), shortText(before), shortText(after)),
    );
  return text.changed(name, [...told.slice(0, FEW), ...(count > 0 ? [text.files(count)] : [])]);
}

/** Null for what is too long to be told in a sentence. */
function shortText(value: unknown): string | null {
  return typeof value === 'string' && value.length <= 40 ? value : null;
}
