import { baseName, folderOf, marksPackage } from '@bindery/formats';
import type { FileType } from '../formats/facts.ts';
import type { Closures, FileChoice, LibraryFiles } from '../graph/closure.ts';
import { isLicenseFile, isReadme } from '../metadata/documents.ts';
import type { Model } from './models.ts';

/** The folder that a model belongs to. */
export interface ModelFolder {
  /** The folder, with its closing slash; empty for a model directly in the library's folder. */
  readonly folder: string;
  /**
   * `marked`: a file in the folder declares that it is one thing. `formats`: the model is in folders named after a
   * format or a part (`urdf`, `glTF-Binary`), and the home is the folder above. `plain`: it is the model's own folder.
   */
  readonly by: 'marked' | 'formats' | 'plain';
}

const MARKERS: ReadonlySet<FileType> = new Set([
  'ros-package',
  'gazebo-model',
  'robot-list',
  'gltf-metadata',
]);

/** Names of folders that describe what is in them but not what it is a model of. */
const FORMAT_FOLDER =
  /^(?:urdfs?|xacro|sdf|mjcf|xmls?|gltf|glb|obj|stl|ply|dae|collada|fbx|usd[acz]?|blend(?:er)?|splats?|(?:glb|gltf|obj|fbx|stl|dae|usd[acz]?) format)$/i;
/** Folders of the glTF samples: `glTF-Binary`, `glTF-KTX-BasisU`. */
const GLTF_VARIANT =
  /^gltf(?:-(?:binary|embedded|draco|quantized|meshopt|ext|ktx2?|basisu?|uastc|etc1s|webp|avif|jpe?g|png|ibl|instancing|techniques|variants?|materialscommon|pbrspecularglossiness))+$/i;
const PART_FOLDER = /^(?:mesh(?:es(?:[-_].+)?)?|visuals?|collisions?)$/i;
const ROBOT_FOLDER = /^(?:robots?|worlds?|launch|scenes?)$/i;
/** Names that say nothing about what a folder contains: loose models in it are named after their files. */
const GENERIC_FOLDER =
  /^(?:models?|objects?|assets?|meshes|downloads?|library|kit|src|robots?|environments?|env|scenes?|worlds?|props|urdf_files|data|files|3d|resources?|collection)$/i;

export function isGenericFolder(folder: string): boolean {
  const name = baseName(folder.slice(0, -1));
  return GENERIC_FOLDER.test(name) || isFormat(name) || PART_FOLDER.test(name);
}

function isFormat(name: string): boolean {
  return FORMAT_FOLDER.test(name) || GLTF_VARIANT.test(name);
}

/** The topmost folder inside `home` that is named after parts: `arm/meshes/visual/` → `arm/meshes/`. */
export function partFolderOf(folder: string, home = ''): string | undefined {
  for (let at = folder.indexOf('/', home.length); at >= 0; at = folder.indexOf('/', at + 1)) {
    const above = folder.slice(0, at + 1);
    if (PART_FOLDER.test(baseName(above.slice(0, -1)))) return above;
  }
  return undefined;
}

/** Whether a folder's name says that models elsewhere use its pictures. */
export function isMaterialFolder(folder: string): boolean {
  return /^(?:textures?|materials?|maps|fonts)$/i.test(baseName(folder.slice(0, -1)));
}

const SHARED_FOLDER = /^(?:assets?|parts?|includes?|common|shared|components?|bodies)$/i;

/** Whether a folder's name says that others include files from it. */
export function isFolderOfParts(folder: string): boolean {
  return SHARED_FOLDER.test(baseName(folder.slice(0, -1)));
}

/** Returns the files in a folder that declare what the folder is. */
export function markersIn(files: LibraryFiles, folder: string): readonly string[] {
  return files.chosenIn(folder, isMarker);
}

const isMarker: FileChoice = (_, facts) => facts !== undefined && MARKERS.has(facts.type);

/** What training writes as it goes on: `truck/point_cloud/iteration_7000/point_cloud.ply`. */
const TRAINED = /^(.*\/)?point_cloud\/iteration_(\d+)\/[^/]+$/;

/** After how many steps of training a splat cloud was written; undefined for files of other folders. */
export function trainingSteps(path: string): number | undefined {
  const steps = TRAINED.exec(path)?.[2];
  return steps === undefined ? undefined : Number(steps);
}

/** Finds homes of models. Models of one family in one folder have the same home. */
export class ModelFolders {
  readonly #files: LibraryFiles;
  readonly #collections: ReadonlySet<string>;
  /** Folders of training, each of one splat cloud. */
  readonly #trainings: ReadonlySet<string>;
  readonly #known = new Map<string, ModelFolder>();

  constructor(files: LibraryFiles, models: readonly Model[], closures: Closures) {
    this.#files = files;
    this.#collections = packagesOfMany(files, models, closures);
    this.#trainings = new Set(
      models.flatMap(({ path, family }) => {
        const found = family === 'splat' ? TRAINED.exec(path) : null;
        return found === null ? [] : [found[1] ?? ''];
      }),
    );
  }

  of({ path, family }: Model): ModelFolder {
    const own = folderOf(path);
    const key = `${family} ${own}`;
    const home =
      this.#known.get(key) ??
      this.#training(own) ??
      markedHome(this.#files, own, family, this.#collections) ??
      unmarkedHome(own, family);
    this.#known.set(key, home);
    return home;
  }

  #training(own: string): ModelFolder | undefined {
    for (let folder = own; this.#trainings.size > 0; folder = folderOf(folder.slice(0, -1))) {
      if (this.#trainings.has(folder)) return { folder, by: 'marked' };
      if (folder === '') return undefined;
    }
    return undefined;
  }
}

function markedHome(
  files: LibraryFiles,
  own: string,
  family: Model['family'],
  collections: ReadonlySet<string>,
): ModelFolder | undefined {
  for (let folder = own; ; folder = folderOf(folder.slice(0, -1))) {
    if (!collections.has(folder) && marks(files, folder, family))
      return { folder: unmarkedHome(folder, family).folder, by: 'marked' };
    if (folder === '') return undefined;
  }
}

/** A package with this many folders that need nothing but each other is a collection. */
const MANY = 3;

/**
 * Returns the ROS packages that are collections of robots and not one robot: nearly everything in them that can be opened
 * is in folders of its own, and needs nothing outside of these. Two such folders are enough if each has its own licence
 * or README, and nothing else is there.
 */
function packagesOfMany(files: LibraryFiles, models: readonly Model[], closures: Closures): Set<string> {
  const robots = models.flatMap(({ path, family }) => {
    const home = files.packageOf(path);
    if (family !== 'robot' || home === undefined) return [];
    const isRos = markersIn(files, home).some((marker) => files.factsOf(marker)?.type === 'ros-package');
    return isRos ? [{ path, home, folder: tellingFolder(path, home) }] : [];
  });
  const many = new Set<string>();
  for (const [home, inside] of Map.groupBy(robots, (robot) => robot.home)) {
    const split = (folderOfFile: (path: string) => string | undefined) => {
      const folders = new Set(inside.flatMap(({ path }) => folderOfFile(path) ?? []));
      const needsMore = ({ path }: { path: string }) =>
        [...closures.of(path).files].some(
          (file) => file.startsWith(home) && !marksPackage(file) && !folders.has(folderOfFile(file) ?? ''),
        );
      const others = inside.filter((robot) => folderOfFile(robot.path) === undefined || needsMore(robot));
      const alone = new Set(folders);
      for (const { path } of others) alone.delete(folderOfFile(path) ?? '');
      return { alone, others, isMany: alone.size >= MANY && alone.size > MANY * others.length };
    };
    const { alone, others, isMany } = split((path) => tellingFolder(path, home));
    const areTwo = alone.size > 1 && others.length === 0 && [...alone].every(hasDocuments(files));
    // `urdf/one/` and `meshes/one/` are of one robot, and `legged/one/` one of several of its kind.
    const byName = split((path) => tellingNames(path, home)[0]);
    const byKind = split((path) => tellingNames(path, home).slice(0, 2).join('/') || undefined);
    if (isMany || areTwo || byName.isMany || (byKind.isMany && byKind.others.length === 0)) many.add(home);
  }
  return many;
}

/** The first folder on the way from a package to a file in it whose name says what is in it. */
function tellingFolder(path: string, home: string): string | undefined {
  for (let at = path.indexOf('/', home.length); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at + 1);
    if (!isGenericFolder(folder) && !ROBOT_FOLDER.test(baseName(folder.slice(0, -1)))) return folder;
  }
  return undefined;
}

/** The names of folders between a package and a file in it that say what is in them. */
function tellingNames(path: string, home: string): string[] {
  const names: string[] = [];
  for (let at = path.indexOf('/', home.length); at >= 0; at = path.indexOf('/', at + 1)) {
    const folder = path.slice(0, at + 1);
    const name = baseName(folder.slice(0, -1));
    if (!isGenericFolder(folder) && !ROBOT_FOLDER.test(name)) names.push(name);
  }
  return names;
}

function hasDocuments(files: LibraryFiles): (folder: string) => boolean {
  return (folder) => files.filesIn(folder).some((path) => isLicenseFile(path) || isReadme(path));
}

/** Markers of the glTF samples apply to meshes only, all others to every family. */
function marks(files: LibraryFiles, folder: string, family: Model['family']): boolean {
  return markersIn(files, folder).some(
    (marker) => files.factsOf(marker)?.type !== 'gltf-metadata' || family === 'mesh',
  );
}

function unmarkedHome(own: string, family: Model['family']): ModelFolder {
  let folder = own;
  while (isInside(folder) && namesFormat(folder, family)) folder = folderOf(folder.slice(0, -1));
  return { folder, by: folder === own ? 'plain' : 'formats' };
}

/** Whether a folder is inside another one. Top-level folders are homes whatever their name. */
function isInside(folder: string): boolean {
  return folder.indexOf('/') !== folder.lastIndexOf('/');
}

function namesFormat(folder: string, family: Model['family']): boolean {
  const name = baseName(folder.slice(0, -1));
  if (isFormat(name)) return true;
  return family === 'robot' ? ROBOT_FOLDER.test(name) : PART_FOLDER.test(name);
}
