import { compareUtf8 } from '@bindery/contract/wire';
import { folderOf, stemOf } from '@bindery/formats';
import type { ListedFile } from '../file-reader.ts';
import type { Closures, LibraryFiles } from '../graph/closure.ts';
import {
  isAboutTheCollection,
  isCodeFolder,
  isLicenseFile,
  isPicture,
  isReadme,
} from '../metadata/documents.ts';
import { componentsOf, isCollection, type ModelFolderContents } from './components.ts';
import {
  isFolderOfParts,
  isGenericFolder,
  isMaterialFolder,
  type ModelFolder,
  ModelFolders,
  partFolderOf,
} from './model-folders.ts';
import { findModels, type Model, mainModel, modelName, modelsAmong, variantsOf } from './models.ts';

/** Files that form one asset. */
export interface Unit {
  /** The folder (with its closing slash) or file that makes it an asset; empty if the whole library is one. */
  readonly root: string;
  /** The models that can be its entry. */
  readonly models: readonly Model[];
  /** Sorted by path. */
  readonly files: readonly string[];
  /** Whether the content of its files makes it an asset, not only their location. */
  readonly isRecognised: boolean;
}

export interface FoundUnits {
  readonly units: Unit[];
  /** Files that belong to no asset. */
  readonly unused: string[];
}

/** A unit whose own files are not yet known. */
interface Draft {
  home: string;
  root: string;
  models: readonly Model[];
  /** Whether the whole folder belongs to the asset, not only what its models reach. */
  isWhole: boolean;
  by: ModelFolder['by'];
}

/**
 * Divides a library into assets, by the content and references of its files, then by their location. Files that are
 * `claimed` already belong to assets; others can still refer to them.
 */
export function findUnits(
  files: LibraryFiles,
  closures: Closures,
  claimed: ReadonlySet<string> = new Set(),
): FoundUnits {
  const models = findModels(files).filter(({ path }) => !claimed.has(path));
  const homes = groupByModelFolder(files, models, closures);
  const drafts = widenToTopFolders([...homes.values()].flatMap((home) => draftsOf(home, homes, closures)));
  const recognised = drafts.map((draft) => ({ draft, own: new Set<string>() }));
  assignFolders(files, recognised, claimed);
  const inFolder = recognised.map(({ own }) => new Set(own));
  const namesakes = Map.groupBy(files.files, ({ path }) => `${folderOf(path)}${stemOf(path).toLowerCase()}`);
  for (const { draft, own } of recognised) {
    for (const { path } of draft.models) for (const file of closures.of(path).files) own.add(file);
    if (!draft.isWhole) addSameNamedFiles(namesakes, draft, own);
    addLicenses(files, draft, own);
  }
  const units = recognised.map(({ draft, own }, at) => unitOf(files, draft, own, inFolder[at] ?? own));
  const taken = new Set([...claimed, ...units.flatMap((unit) => unit.files)]);
  const rest = unrecognisedUnits(files, models, { taken, claimed }, drafts);
  return { units: [...units, ...rest.units], unused: rest.unused };
}

/** Makes one asset of these files, wherever they are. */
export function unitOfFiles(files: LibraryFiles, root: string, paths: readonly string[]): Unit {
  const models = modelsAmong(files, paths);
  return { root, files: paths, models, isRecognised: models.some(({ facts }) => facts.certain) };
}

/** Groups models by the folders they belong to. Models that are parts of others are left out. */
function groupByModelFolder(
  files: LibraryFiles,
  models: readonly Model[],
  closures: Closures,
): Map<string, ModelFolderContents> {
  const certain = models.filter(({ facts }) => facts.certain);
  const homesByFolder = new ModelFolders(files, certain, closures);
  const homeFolders = new Map(certain.map((model) => [model.path, homesByFolder.of(model)]));
  const reachedBy = new Map<string, string[]>();
  for (const { path } of certain) {
    for (const file of closures.of(path).files) {
      if (file === path || !homeFolders.has(file)) continue;
      const list = reachedBy.get(file);
      if (list === undefined) reachedBy.set(file, [path]);
      else list.push(path);
    }
  }
  const partFolders = foldersOfParts(certain, homeFolders, closures);
  const homes = new Map<string, ModelFolderContents>();
  for (const model of certain) {
    const home = homeFolders.get(model.path);
    if (model.family !== 'robot' && liesIn(partFolders, model.path)) continue;
    if (home === undefined || isPart(model, home, reachedBy.get(model.path) ?? [], homeFolders)) continue;
    const found = homes.get(home.folder);
    if (found === undefined) homes.set(home.folder, { ...home, models: [model] });
    else found.models.push(model);
  }
  return homes;
}

/**
 * Returns the folders that contain the parts of robots. All else there is theirs too, even if unused: what lies in a
 * robot's home next to its files, and folders of meshes of which robots use most, wherever they are.
 */
function foldersOfParts(
  models: readonly Model[],
  homes: ReadonlyMap<string, ModelFolder>,
  closures: Closures,
): Set<string> {
  const folders = new Set<string>();
  const reached = new Set<string>();
  for (const { path, family } of models) {
    const home = homes.get(path)?.folder;
    if (family !== 'robot' || home === undefined) continue;
    for (const file of closures.of(path).files) {
      reached.add(file);
      const folder = folderOf(file);
      if (folder === home || !folder.startsWith(home)) continue;
      folders.add(folder);
      const parts = partFolderOf(folder, home);
      if (parts !== undefined) folders.add(parts);
    }
  }
  const meshes = models.filter(({ family }) => family !== 'robot');
  for (const [parts, inside] of Map.groupBy(meshes, ({ path }) => partFolderOf(folderOf(path)))) {
    const used = inside.filter(({ path }) => reached.has(path));
    if (parts !== undefined && used.length * 2 > inside.length) folders.add(parts);
  }
  return folders;
}

function liesIn(folders: ReadonlySet<string>, path: string): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder.slice(0, -1))) {
    if (folders.has(folder)) return true;
  }
  return false;
}

/** Whether a model only exists for others: a mesh of a robot, materials that models elsewhere include, a macro. */
function isPart(
  { family, facts }: Model,
  home: ModelFolder,
  reachedBy: readonly string[],
  homes: ReadonlyMap<string, ModelFolder>,
): boolean {
  if (facts.type === 'xacro' && !facts.isComplete) return true;
  if (reachedBy.length === 0) return false;
  if (family !== 'robot') return true;
  if (reachedBy.some((path) => homes.get(path)?.folder === home.folder)) return false;
  // Macros of a part can stand alone, for tests; they are one of its parts nonetheless.
  if (facts.type === 'xacro' && reachedBy.some((path) => isAbove(homes.get(path)?.folder, home.folder)))
    return true;
  return !facts.isComplete || (home.by === 'plain' && isFolderOfParts(home.folder));
}

function isAbove(folder: string | undefined, inner: string): boolean {
  return folder !== undefined && folder !== '' && inner.startsWith(folder);
}

/** Returns the assets of one home: one, or one for each group of a collection of loose models. */
function draftsOf(
  home: ModelFolderContents,
  homes: ReadonlyMap<string, unknown>,
  closures: Closures,
): Draft[] {
  const { folder, by, models } = home;
  const whole: Draft = { home: folder, root: folder, models, isWhole: true, by };
  const robots = models.filter(({ family }) => family === 'robot');
  const others = models.filter(({ family }) => family !== 'robot');
  const groups = robots.length > 0 ? robotGroups(home, robots, closures) : variantsOf(others);
  if (!isCollection(home, robots.length > 0, groups, homes.size)) return [whole];
  const loose = robots.length > 0 ? variantsOf(others) : [];
  return [...groups, ...loose].map((group) => ({
    home: folder,
    root: mainModel(group)?.path ?? folder,
    models: group,
    isWhole: false,
    by,
  }));
}

/** Groups robots. Settings that others include are in no group; other settings go with the rest of their folder. */
function robotGroups({ folder }: ModelFolder, robots: readonly Model[], closures: Closures): Model[][] {
  const complete = robots.filter(({ facts }) => facts.isComplete);
  if (complete.length === 0) return folder === '' ? robots.map((model) => [model]) : [[...robots]];
  const reached = new Set(complete.flatMap(({ path }) => [...closures.of(path).files]));
  const groups = componentsOf(complete, closures);
  const alone = robots.filter(({ path, facts }) => !facts.isComplete && !reached.has(path));
  return folder === '' ? [...groups, ...alone.map((model) => [model])] : groups;
}

/**
 * Extends the only asset of a top-level folder to all of it. An asset in a folder inside becomes the whole top-level
 * folder, unless that has a generic name. One in the top-level folder itself absorbs one in a folder inside.
 */
function widenToTopFolders(drafts: readonly Draft[]): Draft[] {
  return [...Map.groupBy(drafts, ({ root }) => topOf(root))].flatMap(([top, inTop]) => {
    const outer = inTop.find(({ root }) => root === top);
    const [inner, ...others] = inTop.filter((draft) => draft !== outer);
    const isLoneFolder = inner?.isWhole === true && inner.by === 'plain' && others.length === 0;
    if (!isLoneFolder || top === '') return inTop;
    if (outer === undefined) return isGenericFolder(top) ? inTop : [{ ...inner, root: top }];
    if (!outer.isWhole || outer.by === 'marked') return inTop;
    return [{ ...outer, models: [...outer.models, ...inner.models] }];
  });
}

function topOf(path: string): string {
  return path.slice(0, path.indexOf('/') + 1);
}

/** Assigns each file to the deepest folder that is an asset, unless a collection of loose models is in between. */
function assignFolders(
  files: LibraryFiles,
  drafts: readonly { draft: Draft; own: Set<string> }[],
  claimed: ReadonlySet<string>,
): void {
  const owners = new Map<string, Set<string> | null>();
  for (const { draft } of drafts) if (!draft.isWhole && draft.home !== '') owners.set(draft.home, null);
  for (const { draft, own } of drafts) if (draft.isWhole) owners.set(draft.root, own);
  const ownerOf = (folder: string): Set<string> | null => {
    const known = owners.get(folder);
    if (known !== undefined) return known;
    const found = folder === '' ? null : ownerOf(folderOf(folder.slice(0, -1)));
    owners.set(folder, found);
    return found;
  };
  for (const { path } of files.files) {
    if (!claimed.has(path)) ownerOf(folderOf(path))?.add(path);
  }
}

/** Adds the files next to a loose model that have its name. */
function addSameNamedFiles(
  namesakes: ReadonlyMap<string, readonly ListedFile[]>,
  { root, models }: Draft,
  own: Set<string>,
): void {
  const others = new Set(models.map(({ path }) => path));
  for (const { path } of namesakes.get(`${folderOf(root)}${modelName(root)}`) ?? []) {
    if (!others.has(path)) own.add(path);
  }
}

/** Adds the licence of an asset, which is in its folder or else in the nearest folder above that has one. */
function addLicenses(files: LibraryFiles, { root }: Pick<Draft, 'root'>, own: Set<string>): void {
  for (const folder of new Set([...own].map(folderOf))) {
    for (const path of files.chosenIn(folder, isLicenseFile)) own.add(path);
  }
  for (let folder = root.endsWith('/') ? root : folderOf(root); ; folder = folderOf(folder.slice(0, -1))) {
    const licenses = files.chosenIn(folder, isLicenseFile);
    for (const path of licenses) own.add(path);
    if (licenses.length > 0 || folder === '') return;
  }
}

/** Makes assets of top-level folders and files in which nothing was recognised, if nothing else uses them. */
function unrecognisedUnits(
  files: LibraryFiles,
  models: readonly Model[],
  { taken, claimed }: { taken: ReadonlySet<string>; claimed: ReadonlySet<string> },
  drafts: readonly Draft[],
): { units: Unit[]; unused: string[] } {
  const unclaimed = files.files.map(({ path }) => path).filter((path) => !claimed.has(path));
  const tops = Map.groupBy(unclaimed, (path) => topOf(path) || path);
  const units: Unit[] = [];
  const unused: string[] = [];
  const readme = files.filesIn('').find(isReadme);
  const shownByReadme = readme && files.factsOf(readme)?.metadata?.picture;
  const isBesideModels = drafts.some(({ root }) => root !== '' && !root.includes('/'));
  const withDrafts = new Set(drafts.map(({ root }) => topOf(root)));
  for (const [top, paths] of tops) {
    const left = paths.filter((path) => !taken.has(path));
    if (left.length === 0) continue;
    const isFolder = top.endsWith('/');
    const isUsed = left.length < paths.length || (isFolder && withDrafts.has(top));
    const own = new Set(paths);
    const within = models.filter(({ path }) => own.has(path));
    const isAside = isFolder
      ? within.length === 0 && (isCodeFolder(top, paths) || isMaterialFolder(top))
      : isAboutTheCollection(top) || top === shownByReadme || (isBesideModels && isPicture(top));
    if (isUsed || (drafts.length > 0 && isAside)) {
      unused.push(...left);
      continue;
    }
    if (drafts.length > 0) addLicenses(files, { root: top }, own);
    units.push({ root: top, models: within, files: [...own].sort(compareUtf8), isRecognised: false });
  }
  return { units, unused };
}

/** Completes a unit. Its files can include models of other assets, which are not its own. */
function unitOf(
  files: LibraryFiles,
  { root, models, isWhole }: Draft,
  own: ReadonlySet<string>,
  inFolder: ReadonlySet<string>,
): Unit {
  const paths = [...own].sort(compareUtf8);
  const within = isWhole ? modelsAmong(files, paths).filter(({ path }) => inFolder.has(path)) : models;
  return { root, models: within, files: paths, isRecognised: true };
}
