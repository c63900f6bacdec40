import { compareUtf8 } from '@bindery/contract/wire';
import { baseName, depthOf, extensionOf, folderOf, stemOf } from '@bindery/formats';
import type { Model } from './models.ts';

/** Suffixes of file names that describe the form of a model, not the model. */
const FORM =
  /[-_. ](?:draco|quantized|embedded|binary|meshopt|ktx2?|basisu?|webp|compressed|raw|v\d+|lod[-_]?\d+|(?:high|low)(?:[-_]?poly)?)$/i;

/** The name of the model that a file is a variant of: `Fox.draco.glb` → `fox`. */
export function modelName(path: string): string {
  let name = stemOf(path).toLowerCase();
  for (let shorter = name.replace(FORM, ''); shorter !== name && shorter !== ''; ) {
    name = shorter;
    shorter = name.replace(FORM, '');
  }
  return name;
}

/** Groups variants of the same model, in the order of the first of each. */
export function variantsOf(models: readonly Model[]): Model[][] {
  const groups = new Map<string, Model[]>();
  for (const model of models) {
    const name = `${model.family === 'splat' ? 'splat' : 'mesh'} ${modelName(model.path)}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [model]);
    else group.push(model);
  }
  return [...groups.values()];
}

/** Formats in the order viewers prefer: self-contained and complete first. */
const FORMATS = ['glb', 'gltf', 'obj', 'dae', 'stl', 'ply', 'usdz', 'usdc', 'usda', 'usd', 'fbx', 'blend'];
const SPLATS = ['sog', 'ply', 'splat', 'ksplat', 'spz'];
/** Forms that need more of a viewer or show less, from best to worst. */
const SPECIAL = [
  /embedded/i,
  /quantized/i,
  /meshopt/i,
  /draco/i,
  /webp|ktx|basis|avif/i,
  /(?:^|[-_. /])(?:low|lod[-_]?[1-9])/i,
];

/** Sorts variants of one model, the one that most viewers open best first. */
export function sortByViewerSupport(variants: readonly Model[]): Model[] {
  const order = variants.some(({ family }) => family === 'splat') ? SPLATS : FORMATS;
  const ranked = variants.map((model) => {
    const { path } = model;
    const rank = [specialty(path), place(order, extensionOf(path)), depthOf(path), stemOf(path).length];
    return { model, rank };
  });
  return ranked
    .sort((a, b) => compareNumbers(a.rank, b.rank) || compareUtf8(a.model.path, b.model.path))
    .map(({ model }) => model);
}

/** Returns the model that an asset is named after: a robot before its parts, a model before a scene that shows it. */
export function mainModel(models: readonly Model[]): Model | undefined {
  const robots = models.filter(({ family }) => family === 'robot');
  const candidates = robots.length > 0 ? robots : models;
  const actors = candidates.filter(({ path }) => !/^scene/i.test(stemOf(path)));
  return sortByViewerSupport(actors.length > 0 ? actors : candidates)[0];
}

function specialty(path: string): number {
  const form = `${baseName(folderOf(path).slice(0, -1))}/${baseName(path)}`;
  return SPECIAL.findIndex((special) => special.test(form)) + 1;
}

function place(order: readonly string[], extension: string): number {
  const at = order.indexOf(extension);
  return at < 0 ? order.length : at;
}

function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
