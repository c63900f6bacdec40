import { createHash } from 'node:crypto';
import { ServiceError } from '../../errors.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { ClosureFile } from '../../revision/file-closure.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { rootFiles } from '../root-files.ts';
import { tarLength } from './tar.ts';

/** The most layers with assets in an image: file systems that join layers take some 127 in all. */
const MAX_LAYERS = 100;

/** Some files of a revision, which become an archive. */
export interface Layer {
  /** The name of the archive for clients that keep it as a file. */
  title: string;
  /** Positions in the closure, ascending. */
  places: Uint32Array;
  /** Those that are not at their own paths in the closure. */
  moved: readonly ClosureFile[];
  /** The SHA-256 of the paths, sizes and hashes of the files, by which the bytes of the layer are known. */
  filesSha256: string;
  tarBytes: number;
}

type Index = Pick<RevisionIndex, 'files' | 'assetCount' | 'assetId' | 'filesOf'>;

/**
 * Returns the layers of one asset, or with null of a whole revision: one for each asset, or if these are too many, one for assets whose
 * ids have hashes in common, so that a change of an asset is a change of one layer in either case. A file of several
 * assets is in the layer of the first. Throws `conversion_refused` for files that no image can have.
 */
export async function layersOf(index: Index, number: number | null): Promise<Layer[]> {
  if (number !== null) {
    const places = Uint32Array.from(index.filesOf(number))
      .sort()
      .filter((place, at, all) => place !== all[at - 1]);
    return [await layerOf(index, { title: titleOf(index.assetId(number)), places, moved: [] })];
  }
  const isJoined = index.assetCount > MAX_LAYERS;
  const groups = new Map<string, number[]>();
  const groupOf: (number[] | undefined)[] = [];
  for (let asset = 0; asset < index.assetCount; asset++) {
    const id = index.assetId(asset);
    const title = isJoined ? joinedTitleOf(id) : titleOf(id);
    const group = groups.get(title) ?? [];
    groups.set(title, group);
    for (const place of index.filesOf(asset)) groupOf[place] ??= group;
    if (turnIsOver()) await nextTurn();
  }
  const rest: number[] = [];
  for (let place = 0; place < index.files.count; place++) {
    const group = groupOf[place] ?? (index.files.isPlatform(place) ? null : rest);
    group?.push(place);
    if (turnIsOver()) await nextTurn();
  }
  const layers: Layer[] = [];
  for (const [title, places] of [...groups].sort(([one], [other]) => (one < other ? -1 : 1)))
    if (places.length > 0) layers.push(await layerOf(index, { title, places, moved: [] }));
  const moved = rootFiles(index.files);
  // An image without layers is none.
  if (moved.length > 0 || rest.length > 0 || layers.length === 0)
    layers.push(await layerOf(index, { title: '_files.tar.gz', places: rest, moved }));
  return layers;
}

/** The files of a layer. */
export function* filesOfLayer(
  { files }: Pick<Index, 'files'>,
  { places, moved }: { places: Iterable<number>; moved: readonly ClosureFile[] },
): Generator<ClosureFile> {
  yield* moved;
  for (const place of places) yield files.at(place);
}

function titleOf(assetId: string): string {
  return `${assetId}.tar.gz`;
}

/** No asset has an id that begins with an underscore. */
function joinedTitleOf(assetId: string): string {
  const number = createHash('sha256').update(assetId).digest().readUInt32BE() % MAX_LAYERS;
  return `_assets-${String(number).padStart(2, '0')}.tar.gz`;
}

async function layerOf(
  index: Index,
  {
    title,
    places,
    moved,
  }: { title: string; places: ArrayLike<number> & Iterable<number>; moved: readonly ClosureFile[] },
): Promise<Layer> {
  const hash = createHash('sha256');
  let tarBytes = tarLength([]);
  for (const file of filesOfLayer(index, { places, moved })) {
    if (isWhiteout(file.path))
      throw new ServiceError(
        'conversion_refused',
        `An image cannot have "${file.path}": a name that begins with ".wh." deletes files of other layers.`,
      );
    hash.update(`${file.path}\0${file.size}\0${file.sha256}\n`);
    tarBytes += tarLength([file]) - tarLength([]);
    if (turnIsOver()) await nextTurn();
  }
  return { title, places: Uint32Array.from(places), moved, filesSha256: hash.digest('hex'), tarBytes };
}

function isWhiteout(path: string): boolean {
  return path.startsWith('.wh.') || path.includes('/.wh.');
}
