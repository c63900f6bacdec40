import { assetIdsFor } from '../asset-id.ts';
import { baseName } from '../paths.ts';
import { isGenericFolder } from './homes.ts';
import type { Unit } from './units.ts';
import { mainOf } from './variants.ts';

export interface NamedUnit {
  unit: Unit;
  /** The name of its folder or file. */
  name: string;
}

/**
 * Units by the ids of their assets: the name of a folder or file; of one that was found deeper (not chosen by the author)
 * the names on the way too, but for those that say nothing (`models`, `src`), so that what lies elsewhere changes no id.
 * Where two would be the same, whole paths are taken.
 */
export function nameUnits(units: readonly Unit[], isChosen: boolean): Map<string, NamedUnit> {
  const nameOf = isChosen ? lastName : tellingName;
  const counts = new Map<string, number>();
  for (const unit of units) counts.set(nameOf(unit), (counts.get(nameOf(unit)) ?? 0) + 1);
  const wanted = units.map((unit) => ((counts.get(nameOf(unit)) ?? 0) > 1 ? pathOf(unit) : nameOf(unit)));
  const ids = assetIdsFor(wanted);
  return new Map(
    units.map((unit, at) => [ids.get(wanted[at] ?? '') ?? '', { unit, name: baseName(pathOf(unit)) }]),
  );
}

function lastName(unit: Unit): string {
  return baseName(pathOf(unit));
}

function tellingName(unit: Unit): string {
  const steps = pathOf(unit).split('/');
  const last = steps.pop() ?? '';
  let folder = '';
  const telling = steps.filter((step) => {
    folder += `${step}/`;
    return !isGenericFolder(folder);
  });
  return [...telling, last].join('-');
}

/** The path of its folder or file; of an asset that is the whole library the file that it is named for. */
function pathOf({ root, models }: Unit): string {
  if (root === '') return mainOf(models)?.path ?? '';
  return root.endsWith('/') ? root.slice(0, -1) : root;
}
