import { boundsOfPlaced, placedIn } from '@bindery/formats/model/bounds';
import type { Scene, SplatCloud } from '@bindery/formats/model/scene';
import { partWords } from '@bindery/formats/model/structure';
import type { Omissions } from '@bindery/formats/reading/omissions';
import { DESCRIPTOR_VERSION, describeScene, describeSplats, SHAPE_BYTES } from './describe/describe.ts';

/**
 * What a model measures and consists of. What it has none of, or what its format does not say, is left out. Numbers
 * that are not counts have six significant digits.
 */
export interface ModelStatistics {
  /** Along x, y and z of the model's own frame, in metres; only of formats that have a unit of length. */
  readonly size?: readonly [x: number, y: number, z: number];
  /** Which of these axes points up. */
  readonly up?: 'y' | 'z';
  readonly triangles?: number;
  readonly points?: number;
  readonly splats?: number;
  /** The links of a robot. */
  readonly bodies?: number;
  /** Hinges and slides that can be moved on their own. */
  readonly joints?: number;
  /** Those of the joints that slide. */
  readonly slides?: number;
  /** How many joints lead to each end of a robot: 3, 3, 3 and 3 for the legs of a dog. */
  readonly chains?: readonly number[];
  /** Words of the names of its parts, each with how many parts have it. */
  readonly parts?: Readonly<Record<string, number>>;
  /** In kilograms. */
  readonly mass?: number;
  /** Images that materials use. */
  readonly textures?: number;
  readonly animations?: number;
  /** Meshes, textures and copies of meshes that are not shown. */
  readonly omitted?: number;
  /** What the model looks like, as its version, a colon, and a descriptor in Base64. */
  readonly descriptor?: string;
  /** What shapes the hands and grippers of a robot have, which count once where they have the same. */
  readonly hands?: readonly { readonly name: string; readonly shape: string }[];
}

/** Names of parts beyond these say nothing new. */
const MAX_NAMES = 1_000;

/** Counts what a scene shows, and what is missing from it. */
export function statisticsOf(scene: Scene, omissions: Omissions | undefined): ModelStatistics {
  const { instances, points, robot, animations = 0 } = scene;
  const { bodies = 0, joints = 0, mass = 0, slides = 0, chains = [], names } = robot ?? {};
  const parts = partWords(names ?? instances.flatMap((instance) => instance.names ?? []).slice(0, MAX_NAMES));
  return {
    ...(scene.unit === 'm' && sizeOf(scene)),
    ...existing({
      triangles: total(instances, ({ geometry }) => geometry.indices.length / 3),
      points: total(points, ({ positions }) => positions.length / 3),
      bodies,
      joints,
      slides,
      mass: rounded(mass),
      textures: countTextures(scene),
      animations,
      omitted: countOmitted(omissions),
    }),
    ...(chains.length > 0 && { chains }),
    ...(Object.keys(parts).length > 0 && { parts }),
    ...described(describeScene(scene)),
    ...describedHands(scene),
  };
}

export function splatStatistics(cloud: SplatCloud, omissions: Omissions | undefined): ModelStatistics {
  return {
    ...existing({ splats: cloud.count, omitted: countOmitted(omissions) }),
    ...described(describeSplats(cloud)),
  };
}

function described(descriptor: Uint8Array | undefined): Pick<ModelStatistics, 'descriptor'> {
  return descriptor === undefined ? {} : { descriptor: textOf(descriptor) };
}

const MAX_HANDS = 2;
/** Of a robot with more, the others say nothing new. */
const MAX_DESCRIBED = 4;
/** Shapes that differ by less are the same; samples of one surface differ by up to 12. */
const SAME_SHAPE = 30;
const MAX_NAME_LENGTH = 100;

function describedHands({ hands = [], ...scene }: Scene): Pick<ModelStatistics, 'hands'> {
  const different: { name: string; shape: Uint8Array }[] = [];
  for (const { name, instances } of hands.slice(0, MAX_DESCRIBED)) {
    const shape = describeScene({ ...scene, instances, points: [] })?.subarray(0, SHAPE_BYTES);
    if (shape === undefined || different.some((one) => distance(one.shape, shape) < SAME_SHAPE)) continue;
    different.push({ name: [...name].slice(0, MAX_NAME_LENGTH).join(''), shape });
    if (different.length === MAX_HANDS) break;
  }
  const shown = different.map(({ name, shape }) => ({ name, shape: textOf(shape) }));
  return shown.length === 0 ? {} : { hands: shown };
}

function distance(a: Uint8Array, b: Uint8Array): number {
  return Math.hypot(...Array.from(a, (number, at) => number - (b[at] as number)));
}

function textOf(descriptor: Uint8Array): string {
  return `${DESCRIPTOR_VERSION}:${btoa(String.fromCharCode(...descriptor))}`;
}

function existing(numbers: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(numbers).filter(([, number]) => number > 0 && number < Infinity));
}

function total<T>(parts: readonly T[], count: (part: T) => number): number {
  return parts.reduce((sum, part) => sum + count(part), 0);
}

function sizeOf(scene: Scene): Pick<ModelStatistics, 'size' | 'up'> {
  const { minX, minY, minZ, maxX, maxY, maxZ } = boundsOfPlaced(placedIn(scene));
  const size = [rounded(maxX - minX), rounded(maxY - minY), rounded(maxZ - minZ)] as const;
  return size.every((side) => side >= 0 && side < Infinity) ? { size, up: scene.up } : {};
}

/** Images count once, however many materials use them. */
function countTextures({ instances }: Scene): number {
  const textures = instances.flatMap(({ material }) => [
    material.baseColorTexture,
    material.metallicRoughnessTexture,
    material.emissiveTexture,
    material.normalTexture,
    material.occlusionTexture,
  ]);
  return new Set(textures.flatMap((texture) => texture?.levels[0] ?? [])).size;
}

function countOmitted(omissions: Omissions = {}): number {
  return total(Object.values(omissions), ({ missing }) => missing);
}

function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
