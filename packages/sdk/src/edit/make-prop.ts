import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ManifestAsset } from '@bindery/contract';
import { stemOf } from '@bindery/formats';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import { BinderyError, TreeError } from '../failures.ts';
import { inReadingThread } from '../local-discovery/reading.ts';

/** What else opens an asset, by names. */
export type EntryPoints = NonNullable<ManifestAsset['entryPoints']>;

export interface PropMeasures {
  /** In kilograms. */
  mass: number;
  /** The longest side in metres. */
  side: number;
  /** How many convex parts collide. */
  parts: number;
  /** Whether the mesh encloses a volume, whose inertia it has; otherwise that of its walls. */
  isClosed: boolean;
  /** What was assumed, and what it cannot do: its unit, its mass, a stack that falls. */
  warnings: readonly string[];
  /** The version of MuJoCo in which it was simulated. */
  mujoco: string;
}

/** Makes props of meshes of this machine. */
export interface PropMaker {
  makeProp(
    prop: SimReady & {
      name: string;
      /** The folder that paths are relative to. */
      root: string;
      entry: string;
      /** Sizes of the mesh's files in bytes, by path. */
      sizes: ReadonlyMap<string, number>;
      /** The empty folder for the result. */
      into: string;
    },
  ): Promise<PropMeasures | { refused: string }>;
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
): Promise<PropMeasures & { folder: string; entryPoints: EntryPoints }> {
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
