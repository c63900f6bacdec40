import { toAxes } from '../camera.ts';
import type { Vector3 } from '../matrix.ts';
import type { Draw } from '../rasterise/draw.ts';
import { createVisibilityBuffer, rasteriseOpaque } from '../rasterise/visibility.ts';
import { KEY_DIRECTION } from './light.ts';

const SIZE = 1024;
/** Half-width of the soft edge, in cells of the map. */
const SOFTNESS = 2.5;

/** What the key light sees: an orthographic depth map along its direction. */
export interface KeyShadow {
  /** 0 in shadow, 1 in the light, for a point with a normal that faces the eye. */
  visibility(x: number, y: number, z: number, nx: number, ny: number, nz: number): number;
}

export function castKeyShadow(draws: readonly Draw[]): KeyShadow {
  const back = KEY_DIRECTION;
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  const views = draws.map((draw) => toAxes(draw.positions, right, up, back));
  const box = bounds(views, draws);
  const width = Math.max(box.high[0] - box.low[0], box.high[1] - box.low[1], 1e-9) * 1.02;
  const deep = Math.max(box.high[2] - box.low[2], 1e-9);
  const scale = SIZE / width;
  const buffer = createVisibilityBuffer(SIZE);
  const toMapX = (x: number) => (x - (box.low[0] + box.high[0]) / 2) * scale + SIZE / 2;
  const toMapY = (y: number) => (y - (box.low[1] + box.high[1]) / 2) * scale + SIZE / 2;
  const toMapDepth = (z: number) => 0.1 + (z - box.low[2]) / deep;
  for (const [index, draw] of draws.entries()) {
    const view = views[index] as Float32Array;
    for (let i = 0; i + 2 < view.length; i += 3) {
      view[i] = toMapX(view[i] as number);
      view[i + 1] = toMapY(view[i + 1] as number);
      view[i + 2] = toMapDepth(view[i + 2] as number);
    }
    rasteriseOpaque(buffer, { ...draw, material: { ...draw.material, doubleSided: true } }, view);
  }
  const map = buffer.inverseDepth;
  const cell = width / SIZE;
  return {
    visibility(x, y, z, nx, ny, nz) {
      const lift = cell * 2.5;
      const [wx, wy, wz] = [x + nx * lift, y + ny * lift, z + nz * lift];
      const mx = toMapX(right[0] * wx + right[1] * wy + right[2] * wz);
      const my = toMapY(up[0] * wx + up[1] * wy + up[2] * wz);
      const depth = toMapDepth(back[0] * wx + back[1] * wy + back[2] * wz) + (cell * 1.5) / deep;
      let lit = 0;
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          lit += share(map, mx + dx * SOFTNESS, my + dy * SOFTNESS, depth);
        }
      }
      return lit / 9;
    },
  };
}

/** The lit share of the four cells around a place, weighted by nearness. */
function share(map: Float32Array, x: number, y: number, depth: number): number {
  const x0 = Math.floor(x - 0.5);
  const y0 = Math.floor(y - 0.5);
  if (x0 < 0 || y0 < 0 || x0 >= SIZE - 1 || y0 >= SIZE - 1) return 1;
  const fx = x - 0.5 - x0;
  const fy = y - 0.5 - y0;
  const at = y0 * SIZE + x0;
  const lit = (cell: number) => ((map[cell] as number) <= depth ? 1 : 0);
  return (
    (lit(at) * (1 - fx) + lit(at + 1) * fx) * (1 - fy) +
    (lit(at + SIZE) * (1 - fx) + lit(at + SIZE + 1) * fx) * fy
  );
}

type Corner = [number, number, number];

function bounds(views: readonly Float32Array[], draws: readonly Draw[]): { low: Corner; high: Corner } {
  const low: Corner = [Infinity, Infinity, Infinity];
  const high: Corner = [-Infinity, -Infinity, -Infinity];
  for (const [index, draw] of draws.entries()) {
    const view = views[index] as Float32Array;
    for (const vertex of draw.indices) {
      for (let k = 0; k < 3; k++) {
        const value = view[vertex * 3 + k] as number;
        if (value < (low[k] as number)) low[k] = value;
        if (value > (high[k] as number)) high[k] = value;
      }
    }
  }
  return { low, high };
}

function cross(a: Vector3, b: Vector3): Vector3 {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function unit(v: Vector3): Vector3 {
  const length = Math.hypot(...v);
  return [v[0] / length, v[1] / length, v[2] / length];
}
