import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ManifestAsset } from '@bindery/contract';
import { type MadeProp, type PropToMake, stemOf } from '@bindery/formats';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import { BinderyError, TreeError } from '../failures.ts';
import { inReadingThread } from '../local-discovery/reading.ts';

/** What else opens an asset, by names. */
export type EntryPoints = NonNullable<ManifestAsset['entryPoints']>;

/** Makes props of meshes of this machine. */
export interface PropMaker {
  makeProp(prop: PropToMake): Promise<MadeProp | { refused: string }>;
}

/**
 * Makes a rigid body of a mesh: writes `<name>.xml` for MuJoCo, `urdf/` and `sdf/` into a
 * new folder in `parent` that has the name of the mesh. Throws
 * `BinderyError` (`prop_refused`) for a mesh that cannot be one or does not simulate, `TreeError` for anything else.
 */
export async function makeProp(
  source: string,
  parent: string,
  maker: PropMaker,
  options: SimReady,
): Promise<MadeProp & { folder: string; entryPoints: EntryPoints }> {
  if (statSync(source, { throwIfNoEntry: false }) === undefined)
    throw new TreeError(`There is no file ${source}.`);
  const place = realpathSync(source);
  const { asset } = await inReadingThread({}, 'discoverAsset', place);
  const { kind, entry } = asset;
  if (kind !== 'mesh' || entry === undefined) throw new TreeError(`${source} is not a mesh.`);
  const name = stemOf(entry);
  const folder = join(parent, name);
  mkdirSync(folder);
  const sizes = new Map(asset.files.map(({ path, size }) => [path, size]));
  const made = await maker.makeProp({ ...options, name, root: dirname(place), entry, sizes, into: folder });
  if ('refused' in made)
    throw new BinderyError('prop_refused', `${source} cannot be a prop: ${made.refused}.`, {
      details: { source, reason: made.refused },
    });
  const entryPoints = {
    urdf: { kind: 'urdf', file: `${name}/urdf/${name}.urdf` },
    sdf: { kind: 'sdf', file: `${name}/sdf/${name}.sdf` },
  };
  return { ...made, folder, entryPoints };
}
