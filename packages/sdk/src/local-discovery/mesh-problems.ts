import { extensionOf, FileIndex, formatOf, resolveReference, scanXml } from '@bindery/formats';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { ListedFile } from '../discovery/file-reader.ts';

/** Metres. No part of a robot is beyond these bounds: such a mesh is in millimetres, or scaled twice. */
const [MAX_SIDE, MIN_SIDE] = [100, 0.0001];

/** A mesh as the description of a robot names it. */
interface NamedMesh {
  text: string;
  line: number;
  scale: readonly number[];
}

/** A mesh of an asset where a robot places it. */
export interface RobotMesh extends NamedMesh {
  /** The file of the mesh. */
  path: string;
  /** The file that places it. */
  file: string;
}

/** Finds the meshes of a URDF or SDFormat robot, and reports those in formats that nothing here draws. */
export function findMeshes(
  asset: { id: string; files: readonly ListedFile[] },
  file: string,
  bytes: Uint8Array,
): { problems: Problem[]; placed: RobotMesh[] } {
  const library = new FileIndex(asset.files.map(({ path }) => path));
  const named = meshesIn(bytes);
  const problems = named.flatMap(({ text, line }) => {
    const format = formatOf(extensionOf(text));
    if (extensionOf(text) === '' || (format !== undefined && !format.isSource)) return [];
    const words = `${text} is in a format that no viewer opens: also export STL, OBJ, COLLADA or glTF`;
    return [problem('mesh-without-viewer', asset.id, words, { file, line })];
  });
  const placed = named.flatMap((mesh) => {
    const found = resolveReference(library, file, mesh.text);
    return 'path' in found ? [{ ...mesh, path: found.path, file }] : [];
  });
  return { problems, placed };
}

/** Returns the problem of a mesh that is, as its robot scales it, larger than a hall or smaller than a hair. */
export function placedProblem(
  asset: string,
  { text, file, line, scale }: RobotMesh,
  sides: readonly number[],
): Problem[] {
  const largest = Math.max(...sides.map((side, axis) => side * Math.abs(scale[axis] ?? 1)));
  return largest > 0 ? scaleProblem(asset, text, largest, { file, line }) : [];
}

/** Returns the problem of a mesh whose longest side is `side` metres; none if that is plausible. */
export function scaleProblem(
  asset: string,
  mesh: string,
  side: number,
  place: { file: string; line?: number },
): Problem[] {
  if (side <= MAX_SIDE && side >= MIN_SIDE) return [];
  const words = `${mesh} is ${side.toPrecision(3)} m long; a scale of ${side > MAX_SIDE ? '0.001' : '1000'} is missing, or one too many`;
  return [problem('mesh-scale', asset, words, place)];
}

/** Reads the scale from attributes (URDF) or from elements next to the address (SDFormat). */
function meshesIn(bytes: Uint8Array): NamedMesh[] {
  const meshes: NamedMesh[] = [];
  scanXml(bytes, {
    open({ name, attributes, line }) {
      if (name !== 'mesh') return;
      meshes.push({ text: attributes.filename ?? '', line, scale: numbers(attributes.scale) });
    },
    text(text, around) {
      const mesh = meshes.at(-1);
      if (mesh === undefined || around.at(-2)?.name !== 'mesh') return;
      if (around.at(-1)?.name === 'uri') mesh.text = text;
      if (around.at(-1)?.name === 'scale') mesh.scale = numbers(text);
    },
  });
  return meshes.filter(({ text }) => text !== '');
}

function numbers(text: string | undefined): number[] {
  const found = (text ?? '').trim().split(/\s+/).filter(Boolean).map(Number);
  return found.length === 1 ? [found[0] ?? 1, found[0] ?? 1, found[0] ?? 1] : found;
}
