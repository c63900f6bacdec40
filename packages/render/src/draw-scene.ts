import { type Camera, eyePosition, frameThreeQuarter, project } from './camera.ts';
import { Unrenderable } from './errors.ts';
import { type Picture, resolvePicture, THUMBNAIL_SIZE } from './picture.ts';
import { blendDraws } from './rasterise/blend.ts';
import { type Draw, toDraws, usedPositions } from './rasterise/draw.ts';
import { rasteriseMasked } from './rasterise/mask.ts';
import { drawPoints, toWorldPoints } from './rasterise/points.ts';
import { createVisibilityBuffer, rasteriseOpaque } from './rasterise/visibility.ts';
import type { Scene } from './scene.ts';
import { castContactShadow } from './shade/contact-shadow.ts';
import { castKeyShadow } from './shade/key-shadow.ts';
import { openness } from './shade/occlusion.ts';
import { Shader } from './shade/shader.ts';
import { shadeVisible } from './shade/visible.ts';

/** Samples along each side of a pixel. */
const SUPERSAMPLING = 2;

/** @throws Unrenderable when the scene has nothing to see. */
export function drawScene(scene: Scene): Picture {
  const draws = toDraws(scene);
  const clouds = scene.points.map((cloud) => toWorldPoints(cloud, scene.up));
  const framed = [...draws.map(usedPositions), ...clouds.map((cloud) => cloud.positions)];
  if (framed.every((positions) => positions.length === 0)) throw new Unrenderable('nothing visible to draw');
  const camera = frameThreeQuarter(framed);
  const size = THUMBNAIL_SIZE * SUPERSAMPLING;

  const screens = draws.map((draw) => project(camera, draw.positions, size));
  const visible = createVisibilityBuffer(size);
  for (const [index, draw] of draws.entries()) {
    const screen = screens[index] as Float32Array;
    if (draw.material.alphaMode === 'opaque') rasteriseOpaque(visible, draw, screen);
    else if (draw.material.alphaMode === 'mask') rasteriseMasked(visible, draw, screen);
  }
  const solid = draws.filter((draw) => draw.material.alphaMode !== 'blend');
  const shadow = castKeyShadow(solid);
  const open = openness(camera, halved(visible.inverseDepth, size), THUMBNAIL_SIZE);
  const shader = new Shader(eyePosition(camera), shadow);

  const samples = new Float32Array(size * size * 4);
  shadeVisible(visible, draws, screens, shader, open, samples);
  for (const cloud of clouds) drawPoints(camera, cloud, visible, samples);
  blendDraws(visible, draws, screens, shader, samples);
  if (draws.length > 0) layOnFloor(camera, draws, samples, size);
  return resolvePicture(samples, size, SUPERSAMPLING);
}

/** Every second depth in both directions. */
function halved(inverseDepth: Float32Array, size: number): Float32Array {
  const half = size / SUPERSAMPLING;
  const out = new Float32Array(half * half);
  for (let y = 0; y < half; y++) {
    for (let x = 0; x < half; x++) {
      out[y * half + x] = inverseDepth[y * SUPERSAMPLING * size + x * SUPERSAMPLING] as number;
    }
  }
  return out;
}

/** Puts the contact shadow under what is drawn, fading it out before the border of the picture. */
function layOnFloor(camera: Camera, draws: readonly Draw[], samples: Float32Array, size: number): void {
  const shadow = castContactShadow(camera, draws);
  const pixels = size / SUPERSAMPLING;
  for (let y = 0; y < pixels; y++) {
    for (let x = 0; x < pixels; x++) {
      const px = ((x + 0.5) / pixels) * 2 - 1;
      const py = 1 - ((y + 0.5) / pixels) * 2;
      const darkness = shadow.darkness(px, py) * fadeAtBorder(px, py);
      if (darkness > 0) darken(samples, x * SUPERSAMPLING, y * SUPERSAMPLING, size, darkness);
    }
  }
}

/** Lays black under the samples of a pixel. */
function darken(samples: Float32Array, x: number, y: number, size: number, darkness: number): void {
  for (let row = 0; row < SUPERSAMPLING; row++) {
    for (let column = 0; column < SUPERSAMPLING; column++) {
      const at = ((y + row) * size + x + column) * 4 + 3;
      const alpha = samples[at] as number;
      samples[at] = alpha + (1 - alpha) * darkness;
    }
  }
}

/** 0 at the border of the picture (−1 to 1), 1 well inside. */
function fadeAtBorder(x: number, y: number): number {
  const t = Math.min(1, Math.max(0, (0.985 - Math.max(Math.abs(x), Math.abs(y))) / 0.22));
  return t * t * (3 - 2 * t);
}
