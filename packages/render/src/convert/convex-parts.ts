import { longestSide, momentsOf, type TriangleMesh } from '@bindery/formats/model/solid';
import { Unrenderable } from '@bindery/formats/reading/errors';

/** With 32 the neck of a vase closes; more make simulation slower. */
const MAX_PARTS = 64;
const VOXELS = 100_000;
/** Of halvings, which make at most 128 parts before they are joined again; more take longer and are no better. */
const DEPTH = 7;
/** Parts as thin as paper, which MuJoCo refuses, have less of the cube around the mesh. */
const MIN_VOLUME = 1e-7;

/** Splits a mesh into convex parts that together fill what it encloses, and leave its cavities open. */
export async function convexPartsOf(mesh: TriangleMesh): Promise<readonly TriangleMesh[]> {
  const { ConvexMeshDecomposition } = await decomposition();
  const decomposer = await ConvexMeshDecomposition.create();
  const parts = decomposer.computeConvexHulls(mesh, {
    maxHulls: MAX_PARTS,
    voxelResolution: VOXELS,
    maxRecursionDepth: DEPTH,
    fillMode: 'flood',
  });
  const cube = longestSide(mesh) ** 3;
  return parts.filter((part) => Math.abs(momentsOf(part).volume) > MIN_VOLUME * cube);
}

/** V-HACD is installed by those who need it: its package has 41 MB. */
async function decomposition(): Promise<typeof import('vhacd-js/lib/vhacd.js')> {
  try {
    return await import('vhacd-js/lib/vhacd.js');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new Unrenderable('a prop needs a part that is not installed: npm install vhacd-js', {
      cause: error,
    });
  }
}
