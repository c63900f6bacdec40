import { LINEAR_OF_SRGB, linearToSrgb } from '@bindery/formats/images/pixels';
import { multiply, transformPoints } from '@bindery/formats/model/matrix';
import { gather, normalOf } from '@bindery/formats/model/normals';
import { DEFAULT_MATERIAL, type Scene, type SplatCloud, type Texture } from '@bindery/formats/model/scene';
import { drawingFrame } from '../camera.ts';
import { seeded } from '../random.ts';
import { type Draw, toDraws } from '../rasterise/draw.ts';
import { sampleTexture } from '../shade/texture.ts';
import { estimateNormals } from './point-normals.ts';

/** Points spread evenly over what a model shows, with Y up, in an order that says nothing of where they are. */
export interface SurfaceSamples {
  readonly count: number;
  /** x, y, z per point: around their centre, from which they are 1 away in the quadratic mean. */
  readonly positions: Float32Array;
  /** Unit x, y, z per point, towards either side of the surface. */
  readonly normals: Float32Array;
  /** r, g, b per point, sRGB, 0 to 1; null if the model states no colours. */
  readonly colors: Float32Array | null;
}

/** So many that other samples of the same surface give nearly the same descriptor. */
const MAX_SAMPLES = 4_096;

/** Samples the surfaces of a scene or, if it has none, its points; undefined if it has neither. */
export function sampleScene(scene: Scene): SurfaceSamples | undefined {
  const frame = drawingFrame(scene);
  const draws = toDraws(scene, frame);
  const area = draws.reduce((sum, draw) => sum + areaOf(draw), 0);
  if (area > 0 && area < Infinity) return sampleTriangles(draws, area);
  const positions = scene.points.map((cloud) =>
    transformPoints(multiply(frame, cloud.transform), cloud.positions),
  );
  const isColored = scene.points.every(({ colors }) => colors !== undefined);
  const colors = isColored ? joined(scene.points.map(({ colors = NONE }) => colors)).map(linearToSrgb) : null;
  return samplePoints(joined(positions), colors, () => 1);
}

/** Samples the centres of splats, the more of them the larger and the more opaque they are. */
export function sampleSplats({ positions, scales, colors }: SplatCloud): SurfaceSamples | undefined {
  const opaque = Float32Array.from(positions, (_, at) => colors[Math.floor(at / 3) * 4 + (at % 3)] as number);
  return samplePoints(positions, opaque, (at) => {
    const [a = 0, b = 0, c = 0] = scales.subarray(at * 3, at * 3 + 3);
    return (colors[at * 4 + 3] as number) * Math.max(a * b, b * c, c * a);
  });
}

const NONE = new Float32Array(0);

function joined(tables: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(tables.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const table of tables) {
    all.set(table, end);
    end += table.length;
  }
  return all;
}

function samplePoints(
  positions: Float32Array,
  colors: Float32Array | null,
  weightOf: (point: number) => number,
): SurfaceSamples | undefined {
  const weights = Float64Array.from({ length: positions.length / 3 }, (_, at) => {
    const weight = weightOf(at);
    const [x = 0, y = 0, z = 0] = positions.subarray(at * 3, at * 3 + 3);
    return weight > 0 && weight < Infinity && Number.isFinite(x + y + z) ? weight : 0;
  });
  const usable = weights.reduce((count, weight) => count + Number(weight > 0), 0);
  const picker = new EvenPicker(weights, Math.min(usable, MAX_SAMPLES));
  const chosen: number[] = [];
  for (const [at, weight] of weights.entries())
    for (let taken = picker.take(weight); taken > 0; taken--) chosen.push(at);
  if (chosen.length === 0) return undefined;
  const rows = Uint32Array.from(shuffled(chosen.length), (place) => chosen[place] as number);
  const placed = centred(gather(positions, rows, 3));
  return {
    count: rows.length,
    positions: placed,
    normals: estimateNormals(placed),
    colors: colors && gather(colors, rows, 3),
  };
}

function sampleTriangles(draws: readonly Draw[], area: number): SurfaceSamples {
  const order = shuffled(MAX_SAMPLES);
  const positions = new Float32Array(MAX_SAMPLES * 3);
  const normals = new Float32Array(MAX_SAMPLES * 3);
  const colors = new Float32Array(MAX_SAMPLES * 3);
  const picker = new EvenPicker([area], MAX_SAMPLES);
  let drawn = 0;
  for (const draw of draws) {
    const { indices, positions: corners } = draw;
    for (let first = 0; first + 2 < indices.length; first += 3) {
      const doubled = normalOf(corners, indices, first, NORMAL, 0);
      for (let taken = picker.take(doubled / 2); taken > 0 && drawn < MAX_SAMPLES; taken--) {
        // Fractions of irrational steps spread evenly over a parallelogram, of which half is folded onto the triangle.
        let v = (drawn * STEP_V) % 1;
        let w = (drawn * STEP_W) % 1;
        if (v + w > 1) [v, w] = [1 - v, 1 - w];
        const at = (order[drawn++] as number) * 3;
        mix({ table: corners, stride: 3, width: 3 }, indices, first, v, w, positions, at);
        for (let axis = 0; axis < 3; axis++) normals[at + axis] = (NORMAL[axis] as number) / doubled;
        colorAt(draw, first, v, w, colors, at);
      }
    }
  }
  const isColored = draws.some(
    ({ material, colors }) => material !== DEFAULT_MATERIAL || colors !== undefined,
  );
  // Rounding can lose the last point.
  const rows = drawn === MAX_SAMPLES ? null : order.subarray(0, drawn);
  const some = (table: Float32Array) => (rows === null ? table : gather(table, rows, 3));
  return {
    count: drawn,
    positions: centred(some(positions)),
    normals: some(normals),
    colors: isColored ? some(colors) : null,
  };
}

/** Of a sequence with the plastic number: Roberts, "The unreasonable effectiveness of quasirandom sequences" (2018). */
const STEP_V = 0.7548776662466927;
const STEP_W = 0.5698402909980532;

/** Picks a number of samples among weighted things, each as often as its weight has it. */
class EvenPicker {
  readonly #step: number;
  #seen = 0;
  #next: number;

  constructor(weights: Iterable<number>, count: number) {
    let total = 0;
    for (const weight of weights) total += weight;
    this.#step = count > 0 ? total / count : Infinity;
    this.#next = this.#step / 2;
  }

  /** How many samples fall on the next thing. */
  take(weight: number): number {
    this.#seen += weight;
    let taken = 0;
    for (; this.#seen >= this.#next; taken++) this.#next += this.#step;
    return taken;
  }
}

/** The numbers below `count` in a random order, the same on every machine. */
function shuffled(count: number): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, at) => at);
  const random = seeded(1);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as number, order[last] as number];
  }
  return order;
}

/** Moves points around their centre, and scales them so that they are 1 away from it in the quadratic mean. */
function centred(positions: Float32Array): Float32Array {
  const count = positions.length / 3;
  const centre = [0, 0, 0];
  for (let at = 0; at < positions.length; at++)
    (centre[at % 3] as number) += (positions[at] as number) / count;
  let square = 0;
  for (let at = 0; at < positions.length; at++)
    square += ((positions[at] as number) - (centre[at % 3] as number)) ** 2;
  const scale = 1 / (Math.sqrt(square / count) || 1);
  return positions.map((value, at) => (value - (centre[at % 3] as number)) * scale);
}

function areaOf({ indices, positions }: Draw): number {
  let doubled = 0;
  for (let first = 0; first + 2 < indices.length; first += 3)
    doubled += normalOf(positions, indices, first, NORMAL, 0);
  return doubled / 2;
}

const NORMAL = new Float64Array(3);

/** Writes the mean of `width` numbers of each corner, weighed by 1 − v − w, v and w. */
function mix(
  { table, stride, width }: { table: Float32Array; stride: number; width: number },
  indices: Uint32Array,
  first: number,
  v: number,
  w: number,
  out: Float32Array,
  at: number,
): void {
  const a = (indices[first] as number) * stride;
  const b = (indices[first + 1] as number) * stride;
  const c = (indices[first + 2] as number) * stride;
  for (let axis = 0; axis < width; axis++) {
    out[at + axis] =
      (table[a + axis] as number) * (1 - v - w) +
      (table[b + axis] as number) * v +
      (table[c + axis] as number) * w;
  }
}

const TEXEL = new Float32Array(4);
const VERTEX_COLOR = new Float32Array(3);
const PLACE = new Float32Array(2);

/** Writes the colour of a surface without light, as sRGB. */
function colorAt(
  { material, indices, uvs, uvs1, colors }: Draw,
  first: number,
  v: number,
  w: number,
  out: Float32Array,
  at: number,
): void {
  const { baseColor, baseColorTexture: texture, emissive } = material;
  const table = texture?.uvSet === 1 ? uvs1 : uvs;
  if (texture !== undefined && table !== undefined) {
    mix({ table, stride: 2, width: 2 }, indices, first, v, w, PLACE, 0);
    readTexture(texture);
  } else TEXEL.fill(255);
  VERTEX_COLOR.fill(1);
  if (colors !== undefined)
    mix({ table: colors, stride: 4, width: 3 }, indices, first, v, w, VERTEX_COLOR, 0);
  for (let channel = 0; channel < 3; channel++) {
    const texel = LINEAR_OF_SRGB[Math.round(TEXEL[channel] as number)] as number;
    const linear = texel * (baseColor[channel] as number) * (VERTEX_COLOR[channel] as number);
    out[at + channel] = linearToSrgb(Math.min(1, linear + (emissive[channel] as number)));
  }
}

/** Textures are read as if they had about so many texels on a side: finer ones are patterns. */
const TEXELS = 128;

function readTexture(texture: Texture): void {
  const [u, v] = [PLACE[0] as number, PLACE[1] as number];
  const [a, b, c, d, e, f] = texture.transform ?? [1, 0, 0, 1, 0, 0];
  const { width = 1, height = 1 } = texture.levels[0] ?? {};
  const level = Math.round(Math.log2(Math.max(width, height) / TEXELS));
  sampleTexture(texture, a * u + c * v + e, b * u + d * v + f, level, TEXEL);
}
