import type { FileToRead, ReadFile } from '@bindery/formats';
import { createLoadContext, type LoadContext } from '@bindery/formats/context';
import { extensionOf } from '@bindery/formats/files/paths';
import { type Bounds, boundsOfPlaced, placedIn } from '@bindery/formats/model/bounds';
import type { MeshFile } from '@bindery/formats/model/mesh-file';
import type { Geometry } from '@bindery/formats/model/scene';
import { readMechanism, readMesh, readModel } from '@bindery/formats/read';
import type { FileSource } from '@bindery/formats/reading/asset-files';
import { ReaderMissing, TooLarge, Unrenderable } from '@bindery/formats/reading/errors';
import { formatNamed, formatOf } from '@bindery/formats/registry';
import { loadSplats } from '@bindery/formats/splats/read';
import { readStepWithOcct } from './host/occt.ts';
import { createRendererContext } from './host/renderer-context.ts';

type Verdict = Omit<ReadFile, 'file'>;

/** Reads files with the readers of pictures and conversions, but without the images of meshes. */
export async function checkFiles(files: readonly FileToRead[], source: FileSource): Promise<ReadFile[]> {
  const read: ReadFile[] = [];
  for (const one of files) read.push({ file: one.file, ...(await checkFile(one, source)) });
  return read;
}

async function checkFile({ file, kind }: FileToRead, source: FileSource): Promise<Verdict> {
  const format = formatNamed(kind);
  try {
    if (format?.family === 'splat') return await checkSplats(file, kind, source);
    if (format?.loadMechanismReader === undefined) return await checkMesh(file, source);
    // The meshes of robots are files that are read by themselves, those of a stage of USD are in it.
    const roles = format.family === 'robot' ? [] : (['visual'] as const);
    const model = { kind: format.name, entry: file };
    const { faults } = await readMechanism(model, contextOf(source), { roles, packages: 'absent' });
    return { faults };
  } catch (error) {
    if (error instanceof TooLarge) return failed('warning', error.message);
    if (error instanceof ReaderMissing) return failed('note', error.message);
    if (error instanceof Unrenderable) return failed('error', error.message);
    throw error;
  }
}

/** A file that is said to be one of splats can be a mesh. */
async function checkSplats(entry: string, kind: string, source: FileSource): Promise<Verdict> {
  const loaded = await readModel({ kind, entry }, createRendererContext(source));
  return 'scene' in loaded ? checkMesh(entry, source) : {};
}

async function checkMesh(path: string, source: FileSource): Promise<Verdict> {
  try {
    const { readMesh, readPreview } = (await formatOf(extensionOf(path))?.loadReader?.()) ?? {};
    // What is drawn of a file of this format is not in it, but a picture that it may carry.
    if (readMesh === undefined && readPreview !== undefined) return {};
    const mesh = await contextOf(source).readMesh(path, { byObject: false, isMoving: false });
    const { minX, minY, minZ, maxX, maxY, maxZ } = shownBounds(mesh);
    if (minX > maxX) return (await isAnimation(path, source)) ? {} : failed('error', 'shows nothing');
    const numbers = mesh.instances.map(({ geometry }) => finiteTriangles(geometry));
    const isShown = mesh.instances.length === 0 || numbers.some(({ finite }) => finite > 0);
    if (!isShown) return failed('error', NOT_NUMBERS);
    const problem = numbers.some(({ all, finite }) => finite < all) ? failed('warning', NOT_NUMBERS) : {};
    return { ...problem, sides: [maxX - minX, maxY - minY, maxZ - minZ] };
  } catch (error) {
    if (error instanceof Unrenderable && (await holdsSplats(path, source))) return {};
    throw error;
  }
}

function failed(severity: 'error' | 'warning' | 'note', message: string): Pick<Verdict, 'problem'> {
  return { problem: { severity, message } };
}

/** What images show changes no verdict about a mesh. */
const PIXEL = { width: 1, height: 1, data: new Uint8Array(4) };

function contextOf(files: FileSource): LoadContext {
  const images = { decode: async () => PIXEL };
  return createLoadContext(files, { images, readMesh, readStep: readStepWithOcct });
}

function shownBounds({ instances, points, lines }: MeshFile): Bounds {
  const surfaces = instances.filter(({ geometry }) => geometry.indices.length > 0);
  return boundsOfPlaced(placedIn({ instances: surfaces, points, lines }));
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
