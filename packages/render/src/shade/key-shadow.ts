import { boundsOf } from '@bindery/formats/model/bounds';
import { cross, unit } from '@bindery/formats/model/matrix';
import { toAxes } from '../camera.ts';
import type { Draw } from '../rasterise/draw.ts';
import { rasterise, type VisibilityBuffer } from '../rasterise/visibility.ts';
import { KEY_DIRECTION } from './light.ts';

/** Cells of the map along each side, for each pixel of the picture. */
const CELLS_PER_PIXEL = 1.6;
/** Half-width of the soft edge, in cells of the map. */
const SOFTNESS = 2.5;
/** Side, in cells, of the blocks whose least and greatest depths are stored. */
const BLOCK = 8;

/** Cells along each side of the map for a picture of this width in pixels. */
export function shadowMapSize(pixels: number): number {
  return Math.ceil((pixels * CELLS_PER_PIXEL) / BLOCK) * BLOCK;
}

const BACK = KEY_DIRECTION;
const RIGHT = unit(cross([0, 1, 0], BACK));
const UP = cross(BACK, RIGHT);

/** What the key light sees: an orthographic depth map along its direction, with depths that grow towards the light. */
export class KeyShadow {
  readonly #map: Float32Array;
  readonly #size: number;
  /** The least and the greatest depth in each block and its neighbours to the right and below. */
  readonly #least: Float32Array;
  readonly #greatest: Float32Array;
  readonly #frame: MapFrame;
  /** How far a point is moved along its normal and, in depth, towards the light, so that no surface shadows itself. */
  readonly #lift: number;
  readonly #bias: number;

  /** `map` must be empty and `shadowMapSize` wide. */
  constructor(draws: readonly Draw[], map: VisibilityBuffer) {
    const views = draws.map((draw) => toAxes(draw.positions, RIGHT, UP, BACK));
    this.#size = map.size;
    this.#frame = frameOf(views, map.size);
    const { scale, offsetX, offsetY, depthScale, depthOffset } = this.#frame;
    for (const [index, view] of views.entries()) {
      for (let i = 0; i + 2 < view.length; i += 3) {
        view[i] = (view[i] as number) * scale + offsetX;
        view[i + 1] = (view[i + 1] as number) * scale + offsetY;
        view[i + 2] = (view[i + 2] as number) * depthScale + depthOffset;
      }
      rasterise(map, (draws[index] as Draw).indices, 0, view, 0);
    }
    this.#map = map.inverseDepth;
    [this.#least, this.#greatest] = extremes(this.#map, map.size / BLOCK);
    this.#lift = 2.5 / scale;
    this.#bias = (1.5 / scale) * depthScale;
  }

  /** 0 in shadow, 1 in the light, for a point with a normal that faces the eye. */
  visibility(x: number, y: number, z: number, nx: number, ny: number, nz: number): number {
    const { scale, offsetX, offsetY, depthScale, depthOffset } = this.#frame;
    const size = this.#size;
    const wx = x + nx * this.#lift;
    const wy = y + ny * this.#lift;
    const wz = z + nz * this.#lift;
    const mx = (RIGHT[0] * wx + RIGHT[1] * wy + RIGHT[2] * wz) * scale + offsetX;
    const my = (UP[0] * wx + UP[1] * wy + UP[2] * wz) * scale + offsetY;
    const depth = (BACK[0] * wx + BACK[1] * wy + BACK[2] * wz) * depthScale + depthOffset + this.#bias;
    const left = Math.floor(mx - SOFTNESS - 0.5);
    const top = Math.floor(my - SOFTNESS - 0.5);
    if (left >= 0 && top >= 0 && left < size - BLOCK && top < size - BLOCK) {
      const block = Math.floor(top / BLOCK) * (size / BLOCK) + Math.floor(left / BLOCK);
      if ((this.#greatest[block] as number) <= depth) return 1;
      if ((this.#least[block] as number) > depth) return 0;
    }
    let lit = 0;
    for (let dy = -SOFTNESS; dy <= SOFTNESS; dy += SOFTNESS) {
      for (let dx = -SOFTNESS; dx <= SOFTNESS; dx += SOFTNESS) {
        lit += litShare(this.#map, size, mx + dx, my + dy, depth);
      }
    }
    return lit / 9;
  }
}

/** Maps coordinates along the light's axes to cells and depths of the map. */
interface MapFrame {
  readonly scale: number;
  readonly offsetX: number;
  readonly offsetY: number;
  readonly depthScale: number;
  readonly depthOffset: number;
}

function frameOf(views: readonly Float32Array[], size: number): MapFrame {
  const { minX, minY, minZ, maxX, maxY, maxZ } = boundsOf(views);
  const scale = size / (Math.max(maxX - minX, maxY - minY, 1e-9) * 1.02);
  const depthScale = 1 / Math.max(maxZ - minZ, 1e-9);
  return {
    scale,
    offsetX: size / 2 - ((minX + maxX) / 2) * scale,
    offsetY: size / 2 - ((minY + maxY) / 2) * scale,
    depthScale,
    depthOffset: 0.1 - minZ * depthScale,
  };
}

/** The lit share of the four cells around a point, weighted by proximity. */
function litShare(map: Float32Array, size: number, x: number, y: number, depth: number): number {
  const x0 = Math.floor(x - 0.5);
  const y0 = Math.floor(y - 0.5);
  if (x0 < 0 || y0 < 0 || x0 >= size - 1 || y0 >= size - 1) return 1;
  const fx = x - 0.5 - x0;
  const fy = y - 0.5 - y0;
  const at = y0 * size + x0;
  let lit = 0;
  if ((map[at] as number) <= depth) lit += (1 - fx) * (1 - fy);
  if ((map[at + 1] as number) <= depth) lit += fx * (1 - fy);
  if ((map[at + size] as number) <= depth) lit += (1 - fx) * fy;
  if ((map[at + size + 1] as number) <= depth) lit += fx * fy;
  return lit;
}

function extremes(map: Float32Array, blocks: number): [Float32Array, Float32Array] {
  const least = new Float32Array(blocks ** 2).fill(Infinity);
  const greatest = new Float32Array(blocks ** 2);
  let cell = 0;
  for (let y = 0; y < blocks * BLOCK; y++) {
    const first = Math.floor(y / BLOCK) * blocks;
    for (let block = first; block < first + blocks; block++) {
      for (const end = cell + BLOCK; cell < end; cell++) {
        const depth = map[cell] as number;
        if (depth < (least[block] as number)) least[block] = depth;
        if (depth > (greatest[block] as number)) greatest[block] = depth;
      }
    }
  }
  return [overNeighbours(least, blocks, Math.min), overNeighbours(greatest, blocks, Math.max)];
}

function overNeighbours(
  values: Float32Array,
  blocks: number,
  choose: (a: number, b: number) => number,
): Float32Array {
  const out = new Float32Array(values.length);
  for (let block = 0; block < values.length; block++) {
    const right = (block + 1) % blocks === 0 ? block : block + 1;
    const below = block + blocks < values.length ? blocks : 0;
    out[block] = choose(
      choose(values[block] as number, values[right] as number),
      choose(values[block + below] as number, values[right + below] as number),
    );
  }
  return out;
}
