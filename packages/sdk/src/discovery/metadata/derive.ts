import { LIMITS, VOCABULARY_TOKEN } from '@bindery/contract/wire';
import type { SourceMetadata } from '@bindery/formats';
import { baseName, depthOf, folderOf, stemOf } from '@bindery/formats';
import type { Closures, LibraryFiles } from '../graph/closure.ts';
import { toSpdxExpression } from '../license/spdx-expressions.ts';
import { isGenericFolder } from '../units/model-folders.ts';
import { mainModel, modelName, plainStem } from '../units/models.ts';
import type { Unit } from '../units/units.ts';
import { isLicenseFile, isPicture } from './documents.ts';

/** What can be derived from the files of an asset, unless `bindery.yml` declares it. */
export interface DerivedMetadata {
  title?: string;
  description?: string;
  category?: string;
  tags?: string[];
  license?: string;
  attribution?: string;
  thumbnail?: string;
}

/** Where each value came from: a path, relative to the asset's folder if it is in it, or a description of a place. */
export type Origins = Partial<Record<string, string>>;

export interface Derived {
  values: DerivedMetadata;
  from: Origins;
}

interface Source {
  path: string;
  metadata: SourceMetadata;
}

const MAX_TITLE = 200;
const MAX_TEXT = 2_000;
const MAX_ATTRIBUTION = 1_000;

/** Returns the titles that several assets have in their READMEs, which were copied from one to the others. */
export function copiedTitles(units: readonly Unit[], library: LibraryFiles): Set<string> {
  const titles = units.flatMap((unit) => {
    const isReadme = ({ path }: Source) => library.factsOf(path)?.type === 'readme';
    return sourcesOf(unit, library).find(isReadme)?.metadata.title ?? [];
  });
  const counted = Map.groupBy(titles, (title) => title);
  return new Set(titles.filter((title) => (counted.get(title)?.length ?? 0) > 1));
}

/** Derives metadata from the files of an asset, in the order of `ORDER`, and last from names. */
export function deriveMetadata(
  unit: Unit,
  { library, closures, copied }: { library: LibraryFiles; closures: Closures; copied: ReadonlySet<string> },
): Derived {
  const derived: Derived = { values: {}, from: {} };
  const set = <K extends keyof DerivedMetadata>(key: K, value: DerivedMetadata[K], from: string) => {
    if (value === undefined || derived.values[key] !== undefined) return;
    derived.values[key] = value;
    derived.from[key] = from.startsWith(unit.root) ? from.slice(unit.root.length) || from : from;
  };
  for (const { path, metadata } of sourcesOf(unit, library)) {
    if (!copied.has(metadata.title ?? '') || isNamedAs(unit, metadata.title))
      set('title', bounded(metadata.title, MAX_TITLE), path);
    set('description', bounded(metadata.description, MAX_TEXT), path);
    set('category', tokenOf(metadata.category), path);
    set('tags', tagsOf(metadata.tags), path);
    set('attribution', bounded(metadata.attribution ?? metadata.authors?.join('; '), MAX_ATTRIBUTION), path);
  }
  const license = licenseOf(unit, library);
  if (license !== undefined) set('license', license.expression, license.from);
  const place = unit.root.replace(/\/$/, '');
  // What is at the top has its name as its id, which can spell no other script than Latin.
  if (unit.isRecognised && (depthOf(place) > 0 || /\P{ASCII}/u.test(place)))
    set('title', titleFromName(unit), 'name');
  if (unit.isRecognised && depthOf(place) > 0) {
    set('tags', pathTags(unit.root), 'path');
  }
  const thumbnail = findPicture(unit, library, closures);
  if (thumbnail !== undefined) set('thumbnail', thumbnail.path, thumbnail.from);
  return derived;
}

const ORDER = ['gltf-metadata', 'gazebo-model', 'robot-list', 'readme', 'ros-package', 'gltf', 'usd'];

/** Returns the files with metadata directly in the asset's folder, and its main model if that is glTF or USD. */
function sourcesOf(unit: Unit, library: LibraryFiles): Source[] {
  const main = mainModel(unit.models)?.path;
  const folder = unit.root.endsWith('/') || unit.root === '' ? unit.root : null;
  const candidates = unit.files.filter((path) => folderOf(path) === folder);
  if (main !== undefined && !candidates.includes(main)) candidates.push(main);
  return candidates
    .flatMap((path) => {
      const facts = library.factsOf(path);
      const place = facts === undefined ? -1 : ORDER.indexOf(facts.type);
      return facts?.metadata === undefined || place < 0 ? [] : [{ path, metadata: facts.metadata, place }];
    })
    .sort((a, b) => a.place - b.place || a.path.length - b.path.length);
}

const MAX_LICENSE = 120;

/**
 * Returns the licence from the asset's own rights metadata, else a licence file in its folder, else what its documents
 * state, else those next to the files elsewhere that it uses, if these are one, else the nearest licence file above.
 */
function licenseOf(unit: Unit, library: LibraryFiles): { expression: string; from: string } | undefined {
  const sources = sourcesOf(unit, library);
  const isRights = ({ path }: Source) => library.factsOf(path)?.type === 'gltf-metadata';
  const files = licenseFilesOf(unit, library);
  const home = folderOf(unit.root);
  const own = files.filter(({ path }) => folderOf(path) === home);
  const above = files.filter(({ path }) => folderOf(path) !== home && home.startsWith(folderOf(path)));
  const vague = vagueLicenseOf(sources);
  const nearby =
    vague === undefined || above[0]?.metadata.license?.startsWith(`${vague.metadata.license}-`)
      ? above
      : [vague];
  const parts = unit.files.filter(
    (path) => isLicenseFile(path) && folderOf(path) !== home && !home.startsWith(folderOf(path)),
  );
  const ofParts = new Set(parts.map((path) => library.factsOf(path)?.metadata?.license));
  const agreed = files.filter(({ path }) => parts.includes(path));
  const stated = sources.filter((source) => !isRights(source) && source !== vague);
  // What is put together of parts of others has their licence, and none that is known if they have several.
  const around = ofParts.size === 0 ? nearby : ofParts.size === 1 ? agreed : [];
  for (const { path, metadata } of [...sources.filter(isRights), ...own, ...stated, ...around]) {
    if (metadata.license === undefined) continue;
    if (metadata.license === null) return undefined;
    const expression = toSpdxExpression(metadata.license) ?? metadata.license;
    if (expression.length > MAX_LICENSE) continue;
    const { certainty } = metadata;
    const sure =
      certainty === undefined || certainty === 1 ? '' : ` (${Math.floor(certainty * 100)} % similar)`;
    return { expression, from: `${path}${sure}` };
  }
  return undefined;
}

/** Returns the licence files whose licence is known, the deepest first. */
function licenseFilesOf(unit: Unit, library: LibraryFiles): Source[] {
  const texts = unit.files.filter(isLicenseFile).sort((a, b) => depthOf(b) - depthOf(a));
  return texts.flatMap((path): Source[] => {
    const metadata = library.factsOf(path)?.metadata;
    return metadata?.license ? [{ path, metadata }] : [];
  });
}

/** Returns the first statement, if it names only a family of licences ("BSD"), of which a text above may be one. */
function vagueLicenseOf(sources: readonly Source[]): Source | undefined {
  const first = sources.find(({ metadata }) => metadata.license !== undefined);
  return first?.metadata.license && toSpdxExpression(first.metadata.license) === undefined
    ? first
    : undefined;
}

const NAMED_PICTURE = /^(?:thumbnail|preview|screenshot)$/i;

/** Finds the author's picture of an asset: named as one, shown by metadata or the README, or named like the model. */
function findPicture(
  unit: Unit,
  library: LibraryFiles,
  closures: Closures,
): { path: string; from: string } | undefined {
  // A texture shows a surface, not the model, even if it is named like it.
  const textures = new Set(unit.models.flatMap(({ path }) => [...closures.of(path).files]));
  const own = unit.files.filter((path) => isPicture(path) && !textures.has(path));
  const folder = unit.root.endsWith('/') || unit.root === '' ? unit.root : folderOf(unit.root);
  const at = (path: string) => own.find((picture) => picture === path);
  for (const name of ['thumbnail', 'preview', 'screenshot']) {
    const found = own.find((path) => folderOf(path) === folder && stemOf(path).toLowerCase() === name);
    if (found !== undefined) return { path: found, from: found };
  }
  for (const { path, metadata } of sourcesOf(unit, library)) {
    const shown = metadata.picture && at(`${folderOf(path)}${metadata.picture}`);
    if (shown) return { path: shown, from: path };
  }
  const main = mainModel(unit.models)?.path;
  const named = own.find(
    (path) =>
      (isPictureFolder(folderOf(path), folder) &&
        (NAMED_PICTURE.test(stemOf(path)) || /^\d+$/.test(stemOf(path)))) ||
      (main !== undefined && folderOf(path) === folder && modelName(path) === modelName(main)),
  );
  return named === undefined ? undefined : { path: named, from: named };
}

function isPictureFolder(folder: string, root: string): boolean {
  return /^(?:thumbnails?|previews?|screenshots?)\/$/i.test(folder.slice(root.length));
}

/** Whether one of the title's words is in the name of the asset's folder. */
function isNamedAs({ root }: Unit, title = ''): boolean {
  const own = new Set(
    baseName(root.replace(/\/$/, ''))
      .toLowerCase()
      .split(/[-_. ]/),
  );
  return title
    .toLowerCase()
    .split(/[-_. ]/)
    .some((word) => own.has(word));
}

/** `building-small-a.glb` → `Building small a`. */
function titleFromName({ root, models }: Unit): string | undefined {
  const main = mainModel(models)?.path ?? root;
  let folder = root;
  while (folder.endsWith('/') && isGenericFolder(folder)) folder = folderOf(folder.slice(0, -1));
  const telling = folder || root;
  const name = telling.endsWith('/') ? baseName(telling.slice(0, -1)) : plainStem(telling || main);
  const words = name.replace(/[-_.]+/g, ' ').trim();
  return words === '' ? undefined : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** Returns the folders on the path whose names are not generic. */
function pathTags(root: string): string[] | undefined {
  const tags: string[] = [];
  let folder = '';
  for (const step of root.split('/').slice(0, root.endsWith('/') ? -2 : -1)) {
    folder += `${step}/`;
    if (!isGenericFolder(folder)) tags.push(step);
  }
  return tagsOf(tags);
}

function tagsOf(tags: readonly string[] | undefined): string[] | undefined {
  const kept = [...new Set(tags?.map((tag) => tag.trim()).filter((tag) => tag !== '' && tag.length <= 64))];
  return kept.length === 0 ? undefined : kept.slice(0, LIMITS.manifest.tags);
}

function tokenOf(text: string | undefined): string | undefined {
  return text !== undefined && VOCABULARY_TOKEN.pattern.test(text) ? text : undefined;
}

function bounded(text: string | undefined, max: number): string | undefined {
  const clean = text?.replace(/\0/g, '').toWellFormed().trim();
  if (clean === undefined || clean === '') return undefined;
  return clean.length <= max ? clean : `${clean.slice(0, max - 1).toWellFormed()}…`;
}
