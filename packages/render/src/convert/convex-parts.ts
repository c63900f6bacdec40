import { cross, subtract } from '@bindery/formats/model/matrix';
import { cornerOf, longestSide, momentsOf, type TriangleMesh } from '@bindery/formats/model/solid';
import { Unrenderable } from '@bindery/formats/reading/errors';

/** With 32 the neck of a vase closes; more make simulation slower. */
const MAX_PARTS = 64;
const VOXELS = 100_000;
/** Of halvings, which make at most 128 parts before they are joined again; more take longer and are no better. */
const DEPTH = 7;
/** Parts as thin as paper, which MuJoCo refuses, have less of the cube around the mesh. */
const MIN_VOLUME = 1e-7;

/** Splits a mesh into convex parts that together fill what it encloses, and leave its cavities open: itself if it is convex. */
export async function convexPartsOf(mesh: TriangleMesh, isClosed: boolean): Promise<readonly TriangleMesh[]> {
  if (isClosed && isConvex(mesh)) return [mesh];
  const { ConvexMeshDecomposition } = await decomposition();
  const decomposer = await ConvexMeshDecomposition.create();
  const parts = decomposer.computeConvexHulls(mesh, {
    maxHulls: MAX_PARTS,
    voxelResolution: VOXELS,
    maxRecursionDepth: DEPTH,
    fillMode: 'flood',
    findBestPlane: true,
  });
  const cube = longestSide(mesh) ** 3;
  return parts.filter((part) => Math.abs(momentsOf(part).volume) > MIN_VOLUME * cube);
}

/** Pairs of a triangle and a vertex that are looked at; and how far one may be above the other, of the longest side. */
const MAX_PAIRS = 2e7;
const FLAT = 1e-4;

/** Whether no part of a mesh is above another. */
function isConvex(mesh: TriangleMesh): boolean {
  const { positions, indices } = mesh;
  if ((indices.length / 3) * (positions.length / 3) > MAX_PAIRS) return false;
  const most = FLAT * longestSide(mesh);
  for (let at = 0; at < indices.length; at += 3) {
    const [a, b, c] = [cornerOf(mesh, at), cornerOf(mesh, at + 1), cornerOf(mesh, at + 2)];
    const normal = cross(subtract(b, a), subtract(c, a));
    const above = most * Math.hypot(...normal);
    for (let vertex = 0; vertex < positions.length; vertex += 3) {
      const x = (positions[vertex] ?? 0) - a[0];
      const y = (positions[vertex + 1] ?? 0) - a[1];
      const z = (positions[vertex + 2] ?? 0) - a[2];
      if (normal[0] * x + normal[1] * y + normal[2] * z > above) return false;
    }
  }
  return true;
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
