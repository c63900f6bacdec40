import { dirname } from 'node:path/posix';
import type { Viewer } from '../access/viewer.ts';
import type { MaintenanceContext } from '../context.ts';
import { escapeMarkup } from '../markup.ts';
import { openRevision } from '../objects/open-revision.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { AssetCard } from '../revision/asset-table.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { type ArchivedFile, type ArchiveEntry, archiveEntries } from './archive.ts';
import { type DoorRevision, missingAtDoor } from './revision.ts';
import { searchLibraries } from './search.ts';

/*
 * Assets as models of Gazebo Fuel.
 */

/** A model of a list. */
export interface ListedModel {
  namespace: string;
  library: DoorRevision['row'];
  card: AssetCard;
}

const PAGE_SIZE = 100;
const LIBRARIES_AT_ONCE = 100;

/**
 * Returns a page of the models that the viewer may list, in one namespace if it is given; page 1 is the first. Only the
 * libraries on the page are opened.
 */
export async function listModels(
  context: MaintenanceContext,
  viewer: Viewer,
  { namespace, page }: { namespace?: string | undefined; page: number },
): Promise<ListedModel[]> {
  const models: ListedModel[] = [];
  let skipped = (page - 1) * PAGE_SIZE;
  for (let offset = 0; models.length < PAGE_SIZE; offset += LIBRARIES_AT_ONCE) {
    const found = await searchLibraries(context, viewer, { namespace, offset, limit: LIBRARIES_AT_ONCE });
    for (const { row, namespace } of found) {
      if (skipped >= row.asset_count) skipped -= row.asset_count;
      else if (models.length < PAGE_SIZE) {
        const { index } = await openRevision(context, row);
        models.push(...modelsOf({ row, namespace, index }, skipped, PAGE_SIZE - models.length));
        skipped = 0;
      }
    }
    if (found.length < LIBRARIES_AT_ONCE) break;
  }
  return models;
}

/** Returns a page of the models of one library. */
export function listModelsOf(revision: DoorRevision, page: number): ListedModel[] {
  return modelsOf(revision, (page - 1) * PAGE_SIZE, PAGE_SIZE);
}

function modelsOf(
  { row, namespace, index }: Pick<DoorRevision, 'row' | 'namespace' | 'index'>,
  first: number,
  count: number,
): ListedModel[] {
  const end = Math.min(index.assetCount, first + count);
  return Array.from({ length: Math.max(0, end - first) }, (_, at) => ({
    namespace,
    library: row,
    card: index.card(first + at),
  }));
}

/**
 * Returns the number of an asset in the index of its revision. Clients write names in lower case, so the first asset
 * whose id is the same but for the case is found where no id is the same. Throws `not_found`.
 */
export async function findModel(index: RevisionIndex, assetId: string): Promise<number> {
  const number = index.indexOfAsset(assetId);
  if (number >= 0) return number;
  for (let other = 0; other < index.assetCount; other++) {
    if (index.assetId(other).toLowerCase() === assetId) return other;
    if (turnIsOver()) await nextTurn();
  }
  throw missingAtDoor('asset', 'This revision has no asset with this id.');
}

/**
 * Finds a model under the name that it has at the Fuel server from which it was imported, the folder that it came in; of
 * several, that of the library that changed last. Throws `not_found`.
 */
export async function findImportedModel(
  context: MaintenanceContext,
  viewer: Viewer,
  { namespace, name }: { namespace: string; name: string },
): Promise<{ library: string; assetId: string }> {
  const folder = name.toLowerCase();
  const libraries = await searchLibraries(context, viewer, {
    namespace,
    offset: 0,
    limit: LIBRARIES_AT_ONCE,
  });
  for (const { row } of libraries.filter(({ row }) => row.upstream_repo !== null)) {
    const { index } = await openRevision(context, row);
    if (!(await hasFolder(index, folder))) continue;
    for (let number = 0; number < index.assetCount; number++) {
      const { entry, assetId } = index.card(number);
      if (topOf(entry ?? '') === folder) return { library: row.name, assetId };
      if (turnIsOver()) await nextTurn();
    }
  }
  throw missingAtDoor('asset', 'This owner has no model of this name.');
}

function topOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/'))).toLowerCase();
}

/** Whether a folder of the library is called so, in any letter case. Looks at one path of each folder. */
async function hasFolder({ files: { paths } }: RevisionIndex, folder: string): Promise<boolean> {
  for (let place = 0; place < paths.length; ) {
    const path = paths.at(place);
    const slash = path.indexOf('/');
    if (slash >= 0 && topOf(path) === folder) return true;
    place = slash < 0 ? place + 1 : paths.startingWith(path.slice(0, slash + 1)).end;
    if (turnIsOver()) await nextTurn();
  }
  return false;
}

const MODEL_CONFIG = 'model.config';
const MODEL_SDF = 'model.sdf';

/**
 * Returns the files of a model with `model.config` at the root, where Gazebo looks for it: the folder of the entry is the
 * root if it has one. Otherwise files are where they are in the library, so that `package://` and `model://` lead to
 * folders of the root, and one is made; for what Gazebo does not read, an SDF model too, without which its client crashes.
 */
export function modelFiles(revision: DoorRevision, number: number): ArchivedFile[] {
  const { index } = revision;
  const card = index.card(number);
  const entries = archiveEntries(revision, { number, format: 'zip' });
  const folder = card.entry === null || dirname(card.entry) === '.' ? '' : `${dirname(card.entry)}/`;
  if (entries.some(({ name }) => name === folder + MODEL_CONFIG)) {
    return entries.map(({ name, ...entry }) => ({
      ...entry,
      name: name.startsWith(folder) ? name.slice(folder.length) : name,
    }));
  }
  const read = READ_BY_GAZEBO.includes(card.kind) ? card.entry : null;
  const made = (name: string, text: string) => ({ name, bytes: Buffer.from(text) });
  return [
    made(MODEL_CONFIG, modelConfig(revision, card, read ?? MODEL_SDF)),
    ...(read === null ? [made(MODEL_SDF, staticModel(card))] : []),
    ...entries.filter(({ name }) => name !== MODEL_CONFIG && (read !== null || name !== MODEL_SDF)),
  ];
}

/** Puts every folder before its files: Gazebo's client makes no folder that it was not told of. */
export function withFolders(files: readonly ArchivedFile[]): ArchiveEntry[] {
  const seen = new Set<string>();
  return files.flatMap((file): ArchiveEntry[] => {
    const entries: ArchiveEntry[] = [];
    for (let slash = file.name.indexOf('/'); slash >= 0; slash = file.name.indexOf('/', slash + 1)) {
      const name = `${file.name.slice(0, slash)}/` as const;
      if (seen.size < seen.add(name).size) entries.push({ name });
    }
    return [...entries, file];
  });
}

/** Kinds of models: SDF itself, and URDF, which it converts. */
const READ_BY_GAZEBO = ['sdf', 'urdf'];

function modelConfig({ namespace, row }: DoorRevision, card: AssetCard, model: string): string {
  const { title, assetId, description } = card;
  return `<?xml version="1.0"?>
<model>
  <name>${escapeMarkup(title ?? assetId)}</name>
  <version>${row.revision}</version>
  <sdf version="1.6">${escapeMarkup(model)}</sdf>
  <author>
    <name>${escapeMarkup(namespace)}</name>
  </author>
  <description>${escapeMarkup(description ?? '')}</description>
</model>
`;
}

/** A model that shows the mesh which an asset consists of; it is empty for an asset of another kind. */
function staticModel({ assetId, entry }: AssetCard): string {
  const mesh = entry !== null && /\.(dae|glb|gltf|obj|stl)$/i.test(entry) ? entry : null;
  const geometry = `<geometry><mesh><uri>${escapeMarkup(mesh ?? '')}</uri></mesh></geometry>`;
  const link =
    mesh === null
      ? ''
      : `<visual name="visual">${geometry}</visual><collision name="collision">${geometry}</collision>`;
  return `<?xml version="1.0"?>
<sdf version="1.6">
  <model name="${escapeMarkup(assetId)}">
    <static>true</static>
    <link name="link">${link}</link>
  </model>
</sdf>
`;
}
