import { baseName } from '@bindery/formats';
import { assetIdsFor } from '../asset-id.ts';
import { isGenericFolder } from './model-folders.ts';
import type { Unit } from './units.ts';
import { mainModel } from './variants.ts';

export interface NamedUnit {
  unit: Unit;
  /** The name of its folder or file. */
  name: string;
}

/**
 * Returns units by asset id. The id is the name of the folder or file. For units that the author did not choose it also
 * contains the names of the folders above, except generic ones (`models`, `src`), so that files elsewhere never change
 * an id. If two would be the same, whole paths are used.
 */
export function nameUnits(units: readonly Unit[], isChosen: boolean): Map<string, NamedUnit> {
  const nameOf = isChosen ? simpleName : distinctiveName;
  const counts = new Map<string, number>();
  for (const unit of units) counts.set(nameOf(unit), (counts.get(nameOf(unit)) ?? 0) + 1);
  const wanted = units.map((unit) => ((counts.get(nameOf(unit)) ?? 0) > 1 ? pathOf(unit) : nameOf(unit)));
  const ids = assetIdsFor(wanted);
  return new Map(
    units.map((unit, at) => [ids.get(wanted[at] ?? '') ?? '', { unit, name: baseName(pathOf(unit)) }]),
  );
}

function simpleName(unit: Unit): string {
  return baseName(pathOf(unit));
}

function distinctiveName(unit: Unit): string {
  const steps = pathOf(unit).split('/');
  const last = steps.pop() ?? '';
  let folder = '';
  const telling = steps.filter((step) => {
    folder += `${step}/`;
    return !isGenericFolder(folder);
  });
  return [...telling, last].join('-');
}

/** Returns the path of a unit's folder or file, or of its main model if the unit is the whole library. */
function pathOf({ root, models }: Unit): string {
  if (root === '') return mainModel(models)?.path ?? '';
  return root.endsWith('/') ? root.slice(0, -1) : root;
}
