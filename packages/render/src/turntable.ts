import { MAX_TURNTABLE_BYTES } from '@bindery/formats/images/turntable';
import { boxOfPlaced, centreOf, placedIn } from '@bindery/formats/model/bounds';
import { type Matrix4, multiply, translation } from '@bindery/formats/model/matrix';
import type { Scene } from '@bindery/formats/model/scene';
import { drawMoments } from './draw-moments.ts';
import { encodeAnimation } from './host/renderer-context.ts';

const FRAMES = 8;
/** Width and height in pixels. */
const SIZE = 320;
/** Milliseconds for which one picture is shown. */
const DELAY = 200;
/** Scenes with more vertices would need too much memory eight times. */
const MAX_VERTICES = 500_000;
/** The best that is small enough is taken. */
const QUALITIES = [
  { quality: 60, alphaQuality: 90 },
  { quality: 45, alphaQuality: 60 },
  { quality: 30, alphaQuality: 30 },
  { quality: 15, alphaQuality: 15 },
] as const;

/**
 * Draws a scene turning once on its ground, as an animated WebP that begins as its thumbnail does. Undefined for one that
 * is too large. The same scene gives the same bytes.
 *
 * @throws Unrenderable when nothing in it is visible
 */
export async function drawTurntable(scene: Scene): Promise<Uint8Array | undefined> {
  if (verticesOf(scene) > MAX_VERTICES) return undefined;
  const turns = Array.from({ length: FRAMES }, (_, at) => turned(scene, (2 * Math.PI * at) / FRAMES));
  const pictures = await drawMoments(turns, SIZE);
  for (const quality of QUALITIES) {
    const webp = await encodeAnimation(pictures, { ...quality, delay: DELAY });
    if (webp !== undefined && webp.length <= MAX_TURNTABLE_BYTES) return webp;
  }
  return undefined;
}

function verticesOf(scene: Scene): number {
  return placedIn(scene).reduce((sum, { positions }) => sum + positions.length / 3, 0);
}

/** The scene, turned by an angle about the upright axis through its middle. */
function turned(scene: Scene, angle: number): Scene {
  const [x, y, z] = centreOf(boxOfPlaced(placedIn(scene)));
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
  const rotation: Matrix4 =
    scene.up === 'z'
      ? [cos, sin, 0, 0, -sin, cos, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
      : [cos, 0, -sin, 0, 0, 1, 0, 0, sin, 0, cos, 0, 0, 0, 0, 1];
  const turn = multiply(multiply(translation(x, y, z), rotation), translation(-x, -y, -z));
  const move = <T extends { readonly transform: Matrix4 }>(one: T): T => ({
    ...one,
    transform: multiply(turn, one.transform),
  });
  return {
    ...scene,
    instances: scene.instances.map(move),
    points: scene.points.map(move),
    ...(scene.lines && { lines: scene.lines.map(move) }),
  };
}
