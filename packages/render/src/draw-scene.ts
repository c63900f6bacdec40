import { eyePosition, frameThreeQuarter, project } from './camera.ts';
import { emptyCanvas, SUPERSAMPLING } from './canvas.ts';
import { NothingVisible } from './errors.ts';
import { type Picture, resolvePicture, THUMBNAIL_SIZE } from './picture.ts';
import { blendDraws } from './rasterise/blend.ts';
import { toDraws } from './rasterise/draw.ts';
import { drawingFrame } from './rasterise/drawing-frame.ts';
import { drawLines, toWorldLines } from './rasterise/lines.ts';
import { rasteriseMasked } from './rasterise/mask.ts';
import { drawPoints, toWorldPoints } from './rasterise/points.ts';
import { rasterise, windingOf } from './rasterise/visibility.ts';
import type { Scene } from './scene.ts';
import { contactShadow } from './shade/contact-shadow.ts';
import { KeyShadow } from './shade/key-shadow.ts';
import { ambientVisibility } from './shade/occlusion.ts';
import { Shader } from './shade/shader.ts';
import { shadeVisible } from './shade/visible.ts';

/** @throws Unrenderable when nothing in the scene is visible. */
export function drawScene(scene: Scene): Picture {
  const frame = drawingFrame(scene);
  const draws = toDraws(scene, frame);
  const clouds = scene.points.map((cloud) => toWorldPoints(cloud, frame));
  const wires = (scene.lines ?? []).map((lines) => toWorldLines(lines, frame));
  const framed = [...draws, ...clouds, ...wires].map(({ positions }) => positions);
  if (framed.every((positions) => positions.length === 0))
    throw new NothingVisible('nothing visible to draw');
  const camera = frameThreeQuarter(framed);

  const { visible, lit, samples } = emptyCanvas();
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
  return resolvePicture(samples, visible.size, SUPERSAMPLING, contactShadow(camera, draws, THUMBNAIL_SIZE));
}
