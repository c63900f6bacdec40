import type { ManifestEntryPoint } from '@bindery/contract';
import { compareUtf8, DEFAULT_KIND, LIMITS, VOCABULARY_TOKEN } from '@bindery/contract/wire';
import type { NamedEntry } from '@bindery/formats';
import {
  baseName,
  depthOf,
  extensionOf,
  extensionsOfFamilies,
  FORMATS,
  folderOf,
  stemOf,
} from '@bindery/formats';
import type { FileType } from './formats/facts.ts';
import type { Closures, LibraryFiles } from './graph/closure.ts';
import { isScene, SHAPES } from './units/components.ts';
import { markersIn, trainingSteps } from './units/model-folders.ts';
import {
  compareNumbers,
  type Model,
  modelName,
  plainStem,
  sortByViewerSupport,
  variantsOf,
} from './units/models.ts';
import { unitName } from './units/names.ts';
import type { Unit } from './units/units.ts';

/** What a viewer needs to open an asset. */
export interface Appearance {
  kind: string;
  format?: string | undefined;
  entry?: string | undefined;
  entryPoints?: Record<string, ManifestEntryPoint> | undefined;
}

/** The files of an asset, and what is known about them. */
export interface AssetFiles {
  unit: Pick<Unit, 'root' | 'models' | 'files'>;
  library: LibraryFiles;
  closures: Closures;
  thumbnail: string | undefined;
}

/** Returns the kind of an asset with its format, entry and entry points, by the first rule that matches. */
export function appearanceOf(asset: AssetFiles, wantedKind?: string): Appearance {
  const preferred = preferredEntries(asset);
  const robots: FileType[] = ['mjcf', 'urdf', 'sdf'];
  // If a model database names the files to open, SDF comes first.
  if (preferred.some(({ file }) => asset.library.factsOf(file)?.type === 'sdf')) robots.reverse();
  const named = asset.library.factsOf(asset.unit.root)?.type;
  const rules = [
    ...robots.sort((a, b) => Number(b === named) - Number(a === named)).map((type) => modelRule(type)),
    splatFolder,
    trainedSplat,
    modelRule('xacro'),
    usdRobot,
    shapeRule('mesh'),
    shapeRule('splat'),
    image,
  ];
  for (const rule of rules) {
    const found = rule(asset, preferred);
    if (found !== null && (wantedKind === undefined || found.kind === wantedKind)) return found;
  }
  return wantedKind === undefined ? (sourceFile(asset) ?? { kind: DEFAULT_KIND }) : { kind: wantedKind };
}

type Rule = (asset: AssetFiles, preferred: readonly NamedEntry[]) => Appearance | null;

/** Returns the models that marker files in the asset's folder, or next to them, name, with their paths in the library. */
function preferredEntries({ unit, library }: AssetFiles): NamedEntry[] {
  const folders = new Set([unit.root, ...unit.models.map(({ path }) => folderOf(path))]);
  const markers = [...folders].flatMap((folder) => markersIn(library, folder));
  return markers.flatMap((marker) =>
    (library.factsOf(marker)?.metadata?.entries ?? []).flatMap(({ name, file }) => {
      const path = library.find(`${folderOf(marker)}${file.replace(/^(?:\.?\/)+/, '')}`);
      return path === undefined ? [] : [{ name, file: path }];
    }),
  );
}

/** Descriptions of a robot or a world. One is the entry; if there are several, all are entry points. */
function modelRule(type: FileType): Rule {
  return ({ unit, library, closures }, preferred) => {
    const macros = unit.models.filter(({ facts }) => facts.type === 'xacro' && facts.isComplete);
    const areMacrosOwn = macros.some(
      ({ path }) => shapesOf(path, closures) > 0 && !isForeign(path, library, closures),
    );
    const candidates = unit.models.filter(({ facts }) => facts.type === type);
    const included = new Set(candidates.flatMap(({ path }) => reachedBeyond(path, closures)));
    const models = candidates.filter(({ path, facts }) => {
      if (type === 'xacro') return facts.isComplete && (facts.isNamed || !included.has(path));
      if (macros.length === 0) return true;
      // A world in a robot's package shows where it can stand; the robot comes first, even as macros.
      if (facts.isWorld) return false;
      // What has no link is for macros to include, and what was written for another package is what they replaced.
      return type !== 'urdf' || (facts.isComplete && !(areMacrosOwn && isForeign(path, library, closures)));
    });
    const likeness = likenessTo(unitName(unit, library), models, closures);
    const rank = (model: Model) => [
      model.path === unit.root ? 0 : 1,
      place(preferred, model.path),
      type === 'mjcf' && isScene(model) ? 0 : 1,
      model.facts.isComplete === true ? 0 : 1,
      isExpanded(model.path, closures) ? 0 : 1,
      included.has(model.path) ? 1 : 0,
      /\brobots\//i.test(model.path.slice(unit.root.length)) ? 0 : 1,
      ...likeness(model),
    ];
    const ordered = models.sort((a, b) => compareNumbers(rank(a), rank(b)) || compareUtf8(a.path, b.path));
    const names = new Map(preferred.map(({ name, file }) => [file, name]));
    return described(type === 'xacro' ? 'urdf' : type, ordered, (path) => ({
      name: names.get(path),
      kind: type === 'mjcf' && isScene({ path }) ? 'scene' : 'model',
    }));
  };
}

/** Whether macros could be expanded; other descriptions need not be. */
function isExpanded(path: string, closures: Closures): boolean {
  return !closures.of(path).findings.some(({ kind }) => kind === 'unexpanded' || kind === 'faulty');
}

/** Whether a description names packages that are not there, as exports of CAD programs do. */
function isForeign(path: string, library: LibraryFiles, closures: Closures): boolean {
  const named = [...(library.factsOf(path)?.references ?? []), ...closures.of(path).findings];
  return named.some(({ text }) => {
    const name = /^package:\/\/([^/]+)/i.exec(text)?.[1];
    return name !== undefined && library.packageFolders(name).length === 0;
  });
}

/** Words that say of a folder that it describes something, and not what. */
const ABOUT = /^(?:description|support|model|robot|urdf|mjcf|sim|gazebo|moveit|config|data)s?$/;

/**
 * Ranks the variants of a robot, the one that the asset is named after first: by the words of its name, then the one that
 * others are variants of (`arm` before `arm_gripper`), then those that show most of the shapes.
 */
function likenessTo(
  name: string,
  models: readonly Model[],
  closures: Closures,
): (model: Model) => readonly number[] {
  const own = wordsOf(name).filter((word) => !ABOUT.test(word));
  const stems = models.map(({ path }) => plainStem(path).toLowerCase());
  const shapes = new Map(models.map(({ path }) => [path, shapesOf(path, closures)]));
  const most = Math.max(...shapes.values());
  return ({ path }) => {
    const stem = plainStem(path).toLowerCase();
    const words = wordsOf(stem);
    const shared = words.filter((word) =>
      own.some((other) => word === other || (/\p{L}/u.test(other) && word.startsWith(other))),
    );
    return [
      shared.length === words.length ? 0 : shared.length > 0 ? 1 : 2,
      -stems.filter((other) => other !== stem && other.startsWith(stem)).length,
      (shapes.get(path) ?? 0) < most * 0.9 ? 1 : 0,
      depthOf(path),
      stem.length,
    ];
  };
}

function wordsOf(name: string): string[] {
  return name
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function shapesOf(path: string, closures: Closures): number {
  return [...closures.of(path).files].filter((file) => SHAPES.has(extensionOf(file))).length;
}

function reachedBeyond(path: string, closures: Closures): string[] {
  return [...closures.of(path).files].filter((file) => file !== path);
}

function place(preferred: readonly NamedEntry[], path: string): number {
  const at = preferred.findIndex(({ file }) => file === path);
  return at < 0 ? preferred.length : at;
}

const splatFolder: Rule = ({ unit }) => {
  for (const type of ['lod', 'sog'] as const) {
    const [first] = unit.models
      .filter(({ facts }) => facts.type === type)
      .sort((a, b) => depthOf(a.path) - depthOf(b.path) || compareUtf8(a.path, b.path));
    if (first !== undefined) return { kind: 'splat', format: type, entry: first.path };
  }
  return null;
};

/** The splat cloud that training ended with, and those that it wrote on its way. */
const trainedSplat: Rule = ({ unit }) => {
  const stepsOf = ({ path }: Model) => trainingSteps(path) ?? -1;
  const written = unit.models.filter((model) => model.family === 'splat' && stepsOf(model) >= 0);
  const ordered = written.sort((a, b) => stepsOf(b) - stepsOf(a) || compareUtf8(a.path, b.path));
  return described('splat', ordered, (path) => ({
    name: `iteration_${trainingSteps(path)}`,
    kind: 'scene',
  }));
};

/** Formats that viewers open and that the extension alone identifies. */
const VIEWABLE: ReadonlySet<string> = new Set(
  FORMATS.flatMap(({ family, isSource, extensions }) =>
    (family === 'mesh' || family === 'points') && !isSource ? extensions : [],
  ),
);

/** One mesh or splat cloud, in one or several formats; a few shapes that belong together. */
function shapeRule(family: 'mesh' | 'splat'): Rule {
  return ({ unit, library, closures }) => {
    // Macros say which of their shapes belong where; a shape alone shows nothing of what they are for.
    if (unit.models.some(({ facts }) => facts.type === 'xacro')) return null;
    const parts = new Set(unit.models.flatMap(({ path }) => reachedBeyond(path, closures)));
    // A scene next to a model shows it; the model is what the folder is named after, or the scene after it.
    const isNamesake = ({ path }: Model) =>
      folderOf(path) === unit.root &&
      (modelName(path) === unitName(unit, library).toLowerCase() ||
        unit.models.some((other) => PICTURE_SCENE.exec(stemOf(other.path))?.[1] === stemOf(path)));
    const candidates = unit.models.filter(
      (model) =>
        model.family === family &&
        (!parts.has(model.path) || isNamesake(model)) &&
        !SOURCES.has(model.facts.type) &&
        (model.facts.certain || family === 'splat' || VIEWABLE.has(extensionOf(model.path))),
    );
    const groups = variantsOf(candidates);
    const group = chosenGroup(groups, unit.root);
    const ordered = group === undefined ? shapesTogether(groups, closures) : sortByViewerSupport(group);
    const names = variantNames(ordered);
    return described(family, ordered, (path) => ({ name: names.get(path), kind: 'scene' }));
  };
}

/** Scenes that are there to take a picture of the model after which they are named. */
const PICTURE_SCENE = /^(.+)_(?:thumbnail|preview|turntable)$/i;

/** A shape in USD that has joints, itself or in its layers: a robot or a mechanism. */
const usdRobot: Rule = (asset, preferred) => {
  const { library, closures } = asset;
  const found = shapeRule('mesh')(asset, preferred);
  if (found?.entry === undefined || library.factsOf(found.entry)?.type !== 'usd') return null;
  const hasJoints = [...closures.of(found.entry).files].some((path) => library.factsOf(path)?.hasJoints);
  return hasJoints ? { ...found, kind: 'usd' } : null;
};

/**
 * Returns the only group; of several, the only one named like the folder, else the only one that viewers open, else the
 * only one closest to the root.
 */
function chosenGroup(groups: readonly Model[][], root: string): readonly Model[] | undefined {
  if (groups.length <= 1) return groups[0];
  if (!groups.flat().every(({ facts }) => facts.certain)) return undefined;
  const folder = baseName(root.slice(0, -1)).toLowerCase();
  const named = groups.filter((group) => group.some(({ path }) => modelName(path) === folder));
  const viewable = groups.filter((group) => group.some(({ path }) => VIEWABLE.has(extensionOf(path))));
  const top = Math.min(...groups.flat().map(({ path }) => depthOf(path)));
  const highest = groups.filter((group) => group.some(({ path }) => depthOf(path) === top));
  return [named, viewable, highest].find(({ length }) => length === 1)?.[0];
}

/** Returns one file of each shape of a set of parts, incomplete ones last; none of a set that is too large to look through. */
function shapesTogether(groups: readonly Model[][], closures: Closures): Model[] {
  if (groups.length > LIMITS.manifest.entryPoints || !groups.flat().every(({ facts }) => facts.certain))
    return [];
  const isIncomplete = ({ path }: Model) => closures.of(path).findings.some(({ kind }) => kind === 'missing');
  const shapes = groups.flatMap((group) => sortByViewerSupport(group)[0] ?? []);
  return sortByViewerSupport(shapes).sort((a, b) => Number(isIncomplete(a)) - Number(isIncomplete(b)));
}

/** Names variants by what is unique among them: folder (`glTF-Binary`), else stem, else extension, else file name. */
function variantNames(models: readonly Model[]): Map<string, string> {
  const candidates = [
    ({ path }: Model) => baseName(folderOf(path).slice(0, -1)),
    ({ path }: Model) => stemOf(path),
    ({ path }: Model) => extensionOf(path),
    ({ path }: Model) => baseName(path),
  ];
  const name = candidates.find((one) => {
    const names = models.map(one);
    return !names.includes('') && new Set(names).size === names.length;
  });
  return new Map(models.map((model) => [model.path, name === undefined ? model.path : name(model)]));
}

const IMAGES: ReadonlySet<string> = new Set(extensionsOfFamilies('image'));

/** Exactly one picture; the thumbnail counts only if it is the only picture. */
const image: Rule = ({ unit, thumbnail }) => {
  const pictures = unit.files.filter((path) => IMAGES.has(extensionOf(path)));
  const candidates = pictures.length > 1 ? pictures.filter((path) => path !== thumbnail) : pictures;
  const [entry] = candidates;
  if (entry === undefined || candidates.length > 1) return null;
  return { kind: 'image', format: extensionOf(entry), entry };
};

const SOURCES: ReadonlySet<FileType> = new Set(
  FORMATS.filter(({ isSource }) => isSource).map(({ name }) => name as FileType),
);

/** A source file that its own program opens, but no viewer here. */
function sourceFile({ unit }: AssetFiles): Appearance | null {
  const sources = unit.models.filter(({ facts }) => SOURCES.has(facts.type) && facts.certain);
  const [source] = sources;
  if (source === undefined || sources.length > 1) return null;
  return { kind: DEFAULT_KIND, format: extensionOf(source.path), entry: source.path };
}

function described(
  kind: string,
  ordered: readonly Model[],
  entryPoint: (path: string) => { name: string | undefined; kind: string },
): Appearance | null {
  const [entry] = ordered;
  if (entry === undefined) return null;
  const format = formatOf(entry);
  if (ordered.length === 1) return { kind, format, entry: entry.path };
  return { kind, format, entry: entry.path, entryPoints: entryPointsFor(ordered, entryPoint) };
}

function formatOf({ path, facts }: Model): string {
  const extension = extensionOf(path);
  return facts.type !== 'xacro' && VOCABULARY_TOKEN.pattern.test(extension) ? extension : facts.type;
}

function entryPointsFor(
  models: readonly Model[],
  entryPoint: (path: string) => { name: string | undefined; kind: string },
): Record<string, ManifestEntryPoint> {
  const shown = models
    .slice(0, LIMITS.manifest.entryPoints)
    .map(({ path }) => path)
    .sort(compareUtf8);
  const wanted = shown.map((path) => entryPoint(path).name ?? stemOf(path));
  const names = wanted.map((name, at) => {
    const isUnique = wanted.indexOf(name) === at && wanted.lastIndexOf(name) === at;
    return (isUnique ? name : (shown[at] ?? name)).slice(-64);
  });
  return Object.fromEntries(shown.map((file, at) => [names[at], { kind: entryPoint(file).kind, file }]));
}
