import type { LoadContext } from '../context.ts';
import type { WantedParts } from '../format.ts';
import type { Mechanism } from '../model/mechanism.ts';
import type { Scene } from '../model/scene.ts';
import { mechanismOfStage } from './mechanism.ts';
import { mechanismOf } from './physics.ts';
import { openUsd, refusingDamage, sceneOf, simulatedStage, type VariantChoices } from './read.ts';
import type { UsdStage } from './stage/stage.ts';
import type { UsdPrim } from './stage/stage-prim.ts';

/** What the viewer shows of a USD file: a mechanism if joints connect bodies in it, else a scene. */
export interface LoadedUsd {
  readonly model: { readonly scene: Scene } | { readonly mechanism: Mechanism };
  readonly variants: readonly VariantSet[];
  /** Whether it moves by itself: only how it begins is shown. */
  readonly isAnimated: boolean;
}

/** A choice that a file offers. */
export interface VariantSet {
  /** The path of the prim that has it. */
  readonly prim: string;
  readonly set: string;
  readonly choices: readonly string[];
  readonly selected: string;
}

/** Loads a USD file for the viewer. */
export async function loadUsdModel(
  entry: string,
  context: LoadContext,
  {
    variants,
    roles = ['visual'],
  }: { variants?: VariantChoices | undefined } & Pick<WantedParts, 'roles'> = {},
): Promise<LoadedUsd> {
  return refusingDamage(async () => {
    const opened = await openUsd(entry, context, variants);
    const isRobot = mechanismOf(opened.stage, context.budget) !== undefined;
    return {
      model: isRobot
        ? { mechanism: mechanismOfStage(await simulatedStage(opened, roles), context) }
        : { scene: await sceneOf(opened) },
      variants: variantSets(opened.stage),
      isAnimated: opened.stage.roots.some(isAnimated),
    };
  });
}

function isAnimated(prim: UsdPrim): boolean {
  return prim.properties.some((name) => prim.varies(name)) || prim.children.some(isAnimated);
}

const MAX_SETS = 30;

function variantSets(stage: UsdStage): VariantSet[] {
  const found: VariantSet[] = [];
  const visit = (prims: readonly UsdPrim[]) => {
    for (const prim of prims) {
      if (found.length >= MAX_SETS) return;
      for (const { set, choices, selected } of stage.variants(prim))
        if (choices.length > 1) found.push({ prim: prim.path, set, choices, selected });
      visit(prim.children);
    }
  };
  visit(stage.roots);
  return found.slice(0, MAX_SETS);
}
