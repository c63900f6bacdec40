import type { CheckedMesh } from '@bindery/formats';
import { createLoadContext, type LoadContext } from '@bindery/formats/context';
import { type Bounds, boundsOf, unionBounds } from '@bindery/formats/model/bounds';
import { transformPoints } from '@bindery/formats/model/matrix';
import type { MeshFile } from '@bindery/formats/model/mesh-file';
import type { Geometry } from '@bindery/formats/model/scene';
import { readMesh } from '@bindery/formats/read';
import type { FileSource } from '@bindery/formats/reading/asset-files';
import { TooLarge, Unrenderable } from '@bindery/formats/reading/errors';
import { loadSplats } from '@bindery/formats/splats/read';

/** Reads meshes with the loaders of pictures, but without their images; not STEP. */
export async function checkMeshes(paths: readonly string[], files: FileSource): Promise<CheckedMesh[]> {
  const checked: CheckedMesh[] = [];
  for (const path of paths) checked.push({ file: path, ...(await checkMesh(path, files)) });
  return checked;
}

async function checkMesh(path: string, files: FileSource): Promise<Omit<CheckedMesh, 'file'>> {
  try {
    const mesh = await contextOf(files).readMesh(path, { byObject: false, isMoving: false });
    const { minX, minY, minZ, maxX, maxY, maxZ } = shownBounds(mesh);
    if (minX > maxX) return (await isAnimation(path, files)) ? {} : failed('error', 'shows nothing');
    const numbers = mesh.instances.map(({ geometry }) => finiteTriangles(geometry));
    const isShown = mesh.instances.length === 0 || numbers.some(({ finite }) => finite > 0);
    if (!isShown) return failed('error', NOT_NUMBERS);
    const problem = numbers.some(({ all, finite }) => finite < all) ? failed('warning', NOT_NUMBERS) : {};
    return { ...problem, sides: [maxX - minX, maxY - minY, maxZ - minZ] };
  } catch (error) {
    if (error instanceof TooLarge) return failed('warning', error.message);
    if (!(error instanceof Unrenderable)) throw error;
    return (await holdsSplats(path, files)) ? {} : failed('error', error.message);
  }
}

function failed(severity: 'error' | 'warning', message: string): Pick<CheckedMesh, 'problem'> {
  return { problem: { severity, message } };
}

/** What images show changes no verdict about a mesh. */
const PIXEL = { width: 1, height: 1, data: new Uint8Array(4) };

function contextOf(files: FileSource): LoadContext {
  return createLoadContext(files, { images: { decode: async () => PIXEL }, readMesh });
}

function shownBounds({ instances, points, lines = [] }: MeshFile): Bounds {
  const surfaces = instances.filter(({ geometry }) => geometry.indices.length > 0);
  return unionBounds(
    [
      ...surfaces.map(({ geometry, transform }) => ({ positions: geometry.positions, transform })),
      ...points,
      ...lines,
    ].map(({ positions, transform }) => boundsOf([transformPoints(transform, positions)])),
  );
}

const NOT_NUMBERS = 'has coordinates that are not numbers';

/** Counts the triangles of a surface, and those of them that are drawn. */
function finiteTriangles({ positions, indices }: Geometry): { all: number; finite: number } {
  const all = indices.length / 3;
  if (positions.every(Number.isFinite)) return { all, finite: all };
  const isNumber = (corner: number) => {
    const at = 3 * (indices[corner] as number);
    return positions.subarray(at, at + 3).every(Number.isFinite);
  };
  let finite = 0;
  for (let at = 0; at < indices.length; at += 3)
    if (isNumber(at) && isNumber(at + 1) && isNumber(at + 2)) finite++;
  return { all, finite };
}

/** What files of animations alone contain. */
const ANIMATION = /<library_(?:animations|controllers)\b|Animation(?:Stack|Curve)/;

async function isAnimation(path: string, files: FileSource): Promise<boolean> {
  return ANIMATION.test(new TextDecoder('latin1').decode(await files.read(path)));
}

/** Files of the same formats can hold splats instead of a mesh. */
async function holdsSplats(path: string, files: FileSource): Promise<boolean> {
  if (!/\.(?:ply|glb|gltf)$/i.test(path)) return false;
  try {
    return (await loadSplats(path, contextOf(files))) !== undefined;
  } catch (error) {
    if (error instanceof Unrenderable) return false;
    throw error;
  }
}
