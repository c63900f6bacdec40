import type { Picture } from '@bindery/formats/images/pixels';
import { memoised } from '@bindery/formats/memoised';
import { boundsOf, cornersOf, longestSide } from '@bindery/formats/model/bounds';
import { transformPoints } from '@bindery/formats/model/matrix';
import type { Geometry, Scene } from '@bindery/formats/model/scene';
import { MeshoptSimplifier } from 'meshoptimizer/simplifier';
import { drawingFrame, frameThreeQuarter } from './camera.ts';
import { drawParts, framedBy, placeParts } from './draw-scene.ts';
import { usable } from './rasterise/draw.ts';

/** Surfaces with fewer triangles are drawn as they are. */
const FEW_TRIANGLES = 100;

/**
 * Draws moments of a scene from one place, each `size` pixels wide and high: rigid surfaces as fine as can be seen, and
 * a moment in which nothing moves by half a pixel as the one before it.
 *
 * @throws Unrenderable when nothing in them is visible
 */
export async function drawMoments(moments: readonly Scene[], size: number): Promise<Picture[]> {
  const [first] = moments;
  if (first === undefined) return [];
  const frame = drawingFrame(first);
  const cornersAround = memoised(({ positions }: Geometry) => cornersOf(boundsOf([positions])));
  const placesOf = ({ instances }: Scene) =>
    instances.map(({ geometry, transform }) => transformPoints(transform, cornersAround(geometry)));
  const halfPixel = longestSide(boundsOf(placesOf(first))) / (2 * size);
  await MeshoptSimplifier.ready;
  const coarse = memoised((geometry: Geometry) => simplified(geometry, halfPixel));
  // What is not in the last moment changes its shape.
  const rigid = new Set(moments.at(-1)?.instances.map(({ geometry }) => geometry));

  let places: Float32Array[] = [];
  const drawn: ReturnType<typeof placeParts>[] = [];
  const numbers = moments.map((scene) => {
    const next = placesOf(scene);
    const isStill =
      drawn.length > 0 &&
      scene.instances.every(({ geometry }) => rigid.has(geometry)) &&
      next.every((corners, index) => areClose(corners, places[index], halfPixel));
    if (!isStill) {
      places = next;
      const instances = scene.instances.map((instance) =>
        rigid.has(instance.geometry) ? { ...instance, geometry: coarse(instance.geometry) } : instance,
      );
      drawn.push(placeParts({ ...scene, instances }, frame));
    }
    return drawn.length - 1;
  });
  const camera = frameThreeQuarter(drawn.flatMap(framedBy));
  const pictures = drawn.map((parts) => drawParts(parts, camera, size));
  return numbers.map((number) => pictures[number] as Picture);
}

function areClose(a: Float32Array, b: Float32Array | undefined, distance: number): boolean {
  return b !== undefined && a.every((value, index) => Math.abs(value - (b[index] as number)) < distance);
}

/** The triangles that are enough for a surface that may be off by `error`. */
function simplified(geometry: Geometry, error: number): Geometry {
  const { indices, positions } = geometry;
  if (indices.length < 3 * FEW_TRIANGLES || !Number.isFinite(error)) return geometry;
  const [fewer] = MeshoptSimplifier.simplify(indices, positions, 3, 0, error, ['ErrorAbsolute']);
  return fewer.length === 0 ? geometry : usable({ ...geometry, indices: fewer }, positions);
}
