import type { Document, Primitive } from '@gltf-transform/core';
import type { LoadContext } from '../context.ts';
import { placeNodes } from '../gltf/nodes.ts';
import { column } from '../gltf/primitives.ts';
import { readDocument } from '../gltf/read-document.ts';
import { GltfResources, openContainer } from '../gltf/resources.ts';
import { linearToSrgb } from '../images/pixels.ts';
import { type Matrix4, scaleOf, transformPoints, turnOf } from '../model/matrix.ts';
import type { SplatCloud } from '../model/scene.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { Unrenderable } from '../reading/errors.ts';
import { SplatCloudBuilder } from './cloud.ts';

const EXTENSION = 'KHR_gaussian_splatting';
const LINEAR_COLORS = 'lin_rec709_display';

/**
 * Loads the Gaussian splats of a glTF file; undefined if it has none. Nodes may turn, move and scale them evenly.
 * https://github.com/KhronosGroup/glTF/tree/main/extensions/2.0/Khronos/KHR_gaussian_splatting
 */
export async function loadGltfSplats(path: string, context: LoadContext): Promise<SplatCloud | undefined> {
  const container = openContainer(await context.files.read(path));
  if (!container.json.extensionsUsed?.includes(EXTENSION)) return undefined;
  try {
    const resources = new GltfResources(container, path, context);
    const document = await readDocument(container.json, resources, context.budget);
    const parts = partsOf(document, context);
    const count = parts.reduce((sum, { primitive }) => sum + countOf(primitive), 0);
    const builder = new SplatCloudBuilder(count, context.budget);
    const isLinear = JSON.stringify(container.json.meshes).includes(LINEAR_COLORS);
    let first = 0;
    for (const { primitive, world } of parts) {
      addSplats(primitive, world, { builder, first, isLinear });
      first += countOf(primitive);
    }
    return builder.yUp();
  } catch (error) {
    if (error instanceof Unrenderable) throw error;
    // The document is not validated: any part of it may be missing or of another type.
    throw new Unrenderable(`the glTF file is damaged: ${toMessageText(String(error))}`, { cause: error });
  }
}

interface Part {
  readonly primitive: Primitive;
  readonly world: Matrix4;
}

function partsOf(document: Document, { budget }: LoadContext): Part[] {
  return [...placeNodes(document, budget)].flatMap(([node, world]) =>
    (node.getMesh()?.listPrimitives() ?? [])
      .filter((primitive) => primitive.getAttribute(`${EXTENSION}:SCALE`) !== null)
      .map((primitive) => ({ primitive, world })),
  );
}

function countOf(primitive: Primitive): number {
  return primitive.getAttribute('POSITION')?.getCount() ?? 0;
}

function addSplats(
  primitive: Primitive,
  world: Matrix4,
  { builder, first, isLinear }: { builder: SplatCloudBuilder; first: number; isLinear: boolean },
): void {
  const count = countOf(primitive);
  const read = (name: string, width: number) => {
    const values = column(primitive.getAttribute(name), width, count);
    if (values === undefined) throw new Unrenderable(`the splats of the glTF file have no ${name}`);
    return values;
  };
  const positions = transformPoints(world, read('POSITION', 3));
  const scales = read(`${EXTENSION}:SCALE`, 3);
  const rotations = read(`${EXTENSION}:ROTATION`, 4);
  const opacities = read(`${EXTENSION}:OPACITY`, 1);
  const harmonics = read(`${EXTENSION}:SH_DEGREE_0_COEF_0`, 3);
  const turn = turnOf(world);
  const grown = Math.log(scaleOf(world));
  for (let splat = 0; splat < count; splat++) {
    const at = (values: Float32Array, k: number) => values[splat * 3 + k] as number;
    const [x, y, z, w] = rotations.subarray(splat * 4, splat * 4 + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    builder.position(first + splat, at(positions, 0), at(positions, 1), at(positions, 2));
    builder.logScale(first + splat, at(scales, 0) + grown, at(scales, 1) + grown, at(scales, 2) + grown);
    builder.rotation(first + splat, ...turned(turn, [x, y, z, w]));
    const [red, green, blue] = [0, 1, 2].map((k) => {
      const value = SplatCloudBuilder.harmonic(at(harmonics, k));
      return isLinear ? linearToSrgb(Math.max(0, value)) : value;
    }) as [number, number, number];
    builder.color(first + splat, red, green, blue, opacities[splat] as number);
  }
}

type Turn = readonly [number, number, number, number];

function turned([ax, ay, az, aw]: Turn, [bx, by, bz, bw]: Turn): [number, number, number, number] {
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}
