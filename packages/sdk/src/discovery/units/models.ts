import { compareUtf8 } from '@bindery/contract/wire';
import {
  baseName,
  depthOf,
  extensionOf,
  extensionsOfFamilies,
  FORMATS,
  folderOf,
  stemOf,
} from '@bindery/formats';
import type { FileFacts, FileType } from '../formats/facts.ts';
import type { LibraryFiles } from '../graph/closure.ts';

/** What a model describes: a robot or a world, a mesh, or a splat cloud. */
export type Family = 'robot' | 'mesh' | 'splat';

/** A file that can be the entry of an asset. */
export interface Model {
  readonly path: string;
  readonly facts: FileFacts;
  readonly family: Family;
}

const FAMILIES = new Map<FileType, Family>([
  ...FORMATS.flatMap(({ name, family }): [FileType, Family][] =>
    family === 'image' ? [] : [[name, family === 'points' ? 'mesh' : family]],
  ),
  ['sog', 'splat'],
  ['lod', 'splat'],
]);

/** Returns the models of a library, in path order. */
export function findModels(files: LibraryFiles): Model[] {
  return modelsAmong(
    files,
    files.files.map(({ path }) => path),
  );
}

export function modelsAmong(files: LibraryFiles, paths: readonly string[]): Model[] {
  const models: Model[] = [];
  for (const path of paths) {
    const facts = files.factsOf(path);
    const family = facts && FAMILIES.get(facts.type);
    if (facts === undefined || family === undefined || facts.isPart) continue;
    if (facts.type === 'sog' && !hasAllPlanes(path, facts, (plane) => files.has(plane))) continue;
    models.push({ path, facts, family });
  }
  return models;
}

/** Suffixes of file names that describe the form of a model, not the model. */
const FORM =
  /[-_. ](?:draco|quantized|embedded|binary|meshopt|ktx2?|basisu?|webp|compressed|raw|v\d+|lod[-_]?\d+|(?:high|low)[-_]?poly)$|_(?:high|low)$/i;

/** A format before the extension: `banner.gltf.glb`, `fr3.urdf.xacro`. */
const FORMAT_BEFORE = /\.(?:gltf|urdf|sdf|mjcf|obj|fbx|usd)$/i;

/** The name of a file without its extension, nor the format that some exporters put before it. */
export function plainStem(path: string): string {
  return stemOf(path).replace(FORMAT_BEFORE, '');
}

/** The name of the model that a file is a variant of: `Fox.draco.glb` → `fox`. */
export function modelName(path: string): string {
  let name = plainStem(path).toLowerCase();
  for (let shorter = name.replace(FORM, ''); shorter !== name && shorter !== ''; ) {
    name = shorter;
    shorter = name.replace(FORM, '');
  }
  return name;
}

/** Groups variants of the same model, in the order of the first of each. */
export function variantsOf(models: readonly Model[]): Model[][] {
  const nameOf = ({ family, path }: Model) => `${family === 'splat' ? 'splat' : 'mesh'} ${modelName(path)}`;
  return [...Map.groupBy(models, nameOf).values()];
}

/** Extensions in the order viewers prefer: self-contained and complete first. */
const MESHES = extensionsOfFamilies('mesh', 'points');
/** PLY is complete, formats after it are smaller. */
const SPLATS = extensionsOfFamilies('splat').toSpliced(1, 0, 'ply');
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
  const order = variants.some(({ family }) => family === 'splat') ? SPLATS : MESHES;
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

/** Compares by the first numbers that differ. */
export function compareNumbers(a: readonly number[], b: readonly number[]): number {
  for (const [at, value] of a.entries()) {
    const difference = value - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether all planes of a splat are next to its description. */
function hasAllPlanes(path: string, facts: FileFacts, has: (path: string) => boolean): boolean {
  return facts.references.every(({ text }) => has(`${folderOf(path)}${text}`));
}
