import type { Picture } from '@bindery/formats/images/pixels';
import type { Matrix4 } from '@bindery/formats/model/matrix';
import type { Scene, SplatCloud } from '@bindery/formats/model/scene';
import { NothingVisible, Unrenderable } from '@bindery/formats/reading/errors';
import { THUMBNAIL_SIZE } from '@bindery/formats/reading/limits';
import { type Camera, drawingFrame, eyePosition, frameThreeQuarter, project } from './camera.ts';
import { resolvePicture } from './picture.ts';
import { blendDraws } from './rasterise/blend.ts';
import { type Draw, toDraws } from './rasterise/draw.ts';
import { drawLines, drawPoints, toWorldLines, toWorldPoints } from './rasterise/lines.ts';
import {
  createVisibilityBuffer,
  rasterise,
  rasteriseMasked,
  type VisibilityBuffer,
  windingOf,
} from './rasterise/visibility.ts';
import { contactShadow } from './shade/contact-shadow.ts';
import { KeyShadow, shadowMapSize } from './shade/key-shadow.ts';
import { ambientVisibility } from './shade/occlusion.ts';
import { Shader } from './shade/shader.ts';
import { shadeVisible } from './shade/visible.ts';
import { blendSplats } from './splats/blend.ts';
import { frameSplats, projectSplats } from './splats/project.ts';

/** @throws Unrenderable when nothing in the scene is visible. */
export function drawScene(scene: Scene): Picture {
  const parts = placeParts(scene, drawingFrame(scene));
  return drawParts(parts, frameThreeQuarter(framedBy(parts)), THUMBNAIL_SIZE);
}

/** What a scene shows, placed in front of the camera. */
interface Parts {
  readonly draws: Draw[];
  readonly clouds: ReturnType<typeof toWorldPoints>[];
  readonly wires: ReturnType<typeof toWorldLines>[];
}

/** Places what a scene shows in the drawing frame. */
export function placeParts(scene: Scene, frame: Matrix4): Parts {
  return {
    draws: toDraws(scene, frame),
    clouds: scene.points.map((cloud) => toWorldPoints(cloud, frame)),
    wires: (scene.lines ?? []).map((lines) => toWorldLines(lines, frame)),
  };
}

/** @throws Unrenderable when nothing is visible */
export function framedBy({ draws, clouds, wires }: Parts): Float32Array[] {
  const framed = [...draws, ...clouds, ...wires].map(({ positions }) => positions);
  if (framed.every((positions) => positions.length === 0))
    throw new NothingVisible('nothing visible to draw');
  return framed;
}

/** Draws what was placed, `size` pixels wide and high. */
export function drawParts({ draws, clouds, wires }: Parts, camera: Camera, size: number): Picture {
  const { visible, lit, samples } = emptyCanvas(size);
  const screens = draws.map((draw) => project(camera, draw.positions, visible.size));
  for (const [index, draw] of draws.entries()) {
    const screen = screens[index] as Float32Array;
    if (draw.material.alphaMode === 'opaque') {
      rasterise(visible, draw.indices, draw.firstTriangle, screen, windingOf(draw));
    } else if (draw.material.alphaMode === 'mask') rasteriseMasked(visible, draw, screen);
  }
  const solid = draws.filter((draw) => draw.material.alphaMode !== 'blend');
  const shader = new Shader(eyePosition(camera), new KeyShadow(solid, lit));
  const open = ambientVisibility(camera, visible, SUPERSAMPLING);

  shadeVisible(visible, draws, screens, shader, open, SUPERSAMPLING, samples);
  for (const cloud of clouds) drawPoints(camera, cloud, visible, samples);
  for (const lines of wires) drawLines(camera, lines, visible, samples);
  blendDraws(visible, draws, screens, shader, samples);
  return resolvePicture(samples, visible.size, SUPERSAMPLING, contactShadow(camera, draws, size));
}

/** @throws Unrenderable when nothing is visible. */
export function drawSplats(cloud: SplatCloud): Picture {
  const camera = frameSplats(cloud);
  if (camera === undefined) throw new Unrenderable('nothing visible to draw');
  return blendSplats(projectSplats(cloud, camera, THUMBNAIL_SIZE), THUMBNAIL_SIZE);
}

/** Samples along each side of a pixel. */
const SUPERSAMPLING = 2;

/** What a scene is drawn on. */
interface Canvas {
  readonly visible: VisibilityBuffer;
  /** What the key light sees. */
  readonly lit: VisibilityBuffer;
  /** Linear red, green, blue with premultiplied alpha per sample of `visible`. */
  readonly samples: Float32Array;
}

/** By the side of a picture in pixels. */
const canvases = new Map<number, Canvas>();

/**
 * Returns the only canvas of this process for pictures of a size, cleared: clearing fifty megabytes is cheaper than
 * allocating them for each picture. A picture must be finished before the canvas is requested for the next one.
 */
function emptyCanvas(pixels: number): Canvas {
  const size = pixels * SUPERSAMPLING;
  let canvas = canvases.get(pixels);
  if (canvas === undefined) {
    canvas = {
      visible: createVisibilityBuffer(size),
      lit: createVisibilityBuffer(shadowMapSize(pixels)),
      samples: new Float32Array(size * size * 4),
    };
    canvases.set(pixels, canvas);
  } else {
    for (const { inverseDepth, triangle } of [canvas.visible, canvas.lit]) {
      inverseDepth.fill(0);
      triangle.fill(-1);
    }
    canvas.samples.fill(0);
  }
  return canvas;
}
