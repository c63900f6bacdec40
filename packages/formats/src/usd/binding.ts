import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';
import { withAncestors } from './values.ts';

/** Kinds of bindings, the first of which is preferred, and those that name a collection too. */
interface Kinds {
  readonly direct: readonly string[];
  readonly collections: RegExp;
}

const EVERYTHING: Kinds = {
  direct: ['material:binding'],
  collections: /^material:binding:collection:[^:]+$/,
};
const PICTURES: Kinds = {
  direct: ['material:binding:full', 'material:binding:preview', 'material:binding'],
  collections: /^material:binding:collection:(?:(?:full|preview):)?[^:]+$/,
};
const PHYSICS: Kinds = {
  direct: ['material:binding:physics'],
  collections: /^material:binding:collection:physics:[^:]+$/,
};

/** Returns the material by which a prim collides; undefined for one without properties of UsdPhysics. */
export function physicsMaterial(prim: UsdPrim, stage: UsdStage): UsdPrim | undefined {
  const material = boundMaterial(prim, stage, PHYSICS) ?? boundMaterial(prim, stage, EVERYTHING);
  return material?.schemas.includes('PhysicsMaterialAPI') ? material : undefined;
}

/**
 * Returns the material of a prim: of itself, else of the nearest prim above it, unless one above says that its own is
 * stronger. At each of them collections that contain the prim come first.
 */
export function boundMaterial(prim: UsdPrim, stage: UsdStage, kinds = PICTURES): UsdPrim | undefined {
  let bound: UsdPrim | undefined;
  for (const owner of withAncestors(prim)) {
    const found = bindingsAt(owner, prim, stage, kinds)
      .map(({ material, relationship }) => ({ material: stage.at(material), relationship }))
      .find(({ material }) => material !== undefined);
    if (found === undefined) continue;
    const isStronger = owner.metadata('bindMaterialAs', found.relationship) === 'strongerThanDescendants';
    if (bound === undefined || isStronger) bound = found.material;
  }
  return bound;
}

function bindingsAt(
  owner: UsdPrim,
  prim: UsdPrim,
  stage: UsdStage,
  { direct: kinds, collections }: Kinds,
): { material: string; relationship: string }[] {
  const names = owner.properties.filter((name) => name.startsWith('material:binding'));
  if (names.length === 0) return [];
  const ofCollections = names
    .filter((name) => collections.test(name))
    .flatMap((relationship) => {
      const targets = owner.targets(relationship);
      const collection = targets.find((target) => target.includes('.collection:'));
      const material = targets.find((target) => !target.includes('.'));
      return material !== undefined && collection !== undefined && contains(collection, prim.path, stage)
        ? [{ material, relationship }]
        : [];
    });
  const direct = kinds
    .filter((name) => names.includes(name))
    .flatMap((relationship) =>
      owner
        .targets(relationship)
        .slice(0, 1)
        .map((material) => ({ material, relationship })),
    );
  return [...ofCollections, ...direct];
}

/** Whether a collection, such as `/World.collection:metal`, names a prim or one above it, and excludes it nowhere. */
export function contains(collection: string, path: string, stage: UsdStage): boolean {
  const [owner = '', name = ''] = collection.split('.');
  const prim = stage.at(owner);
  if (prim === undefined) return false;
  const isExact = prim.value(`${name}:expansionRule`) === 'explicitOnly';
  const longest = (relationship: string) =>
    Math.max(
      -1,
      ...prim
        .targets(`${name}:${relationship}`)
        .filter((target) => isAbove(target, path, isExact))
        .map(({ length }) => length),
    );
  const isIncluded = prim.value(`${name}:includeRoot`) === true ? 0 : longest('includes');
  return isIncluded >= 0 && isIncluded > longest('excludes');
}

function isAbove(target: string, path: string, isExact: boolean): boolean {
  return target === path || (!isExact && path.startsWith(`${target}/`));
}
