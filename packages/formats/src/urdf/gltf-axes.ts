import { type Bounds, boundsOfPlaced, placedIn } from '../model/bounds.ts';
import { drawnParts } from '../model/drawn-mechanism.ts';
import type { Shape } from '../model/mechanism.ts';
import { childNamed, childrenNamed, type XmlElement } from '../reading/xml-elements.ts';

/** How meshes in glTF stand in a robot: with Y up, as glTF says, or in the axes of their link; unknown if nothing tells. */
export type GltfAxes = 'y-up' | 'as-link' | 'unknown';

/** The shapes of a link, with meshes in glTF in these axes. */
export type ReadShapes = (
  link: XmlElement,
  roles: readonly Shape['role'][],
  axes: Exclude<GltfAxes, 'unknown'>,
) => Promise<Shape[]>;

/** How many links are looked at. */
const MAX_WITNESSES = 8;
/** How much better one way must fit. */
const CLEAR = 0.75;

/**
 * Finds out how meshes in glTF stand by what collides in the same links: programs differ, and so do robots. Both ways of
 * turning a picture are compared with the collision shapes that are not in glTF themselves.
 */
export async function gltfAxesOf(robot: XmlElement, shapesOf: ReadShapes): Promise<GltfAxes> {
  const witnesses = childrenNamed(robot, 'link')
    .filter((link) => hasGltfMesh(link, 'visual') && hasOther(link))
    .slice(0, MAX_WITNESSES);
  const apart = { 'y-up': 0, 'as-link': 0 };
  for (const link of witnesses) {
    const collision = boundsOfShapes(await shapesOf(link, ['collision'], 'y-up'));
    for (const axes of ['y-up', 'as-link'] as const)
      apart[axes] += distance(boundsOfShapes(await shapesOf(link, ['visual'], axes)), collision);
  }
  const [turned, unturned] = [apart['y-up'], apart['as-link']];
  if (turned < CLEAR * unturned) return 'y-up';
  return unturned < CLEAR * turned ? 'as-link' : 'unknown';
}

/** Whether a robot shows or collides with meshes in glTF. */
export function hasGltf(robot: XmlElement): boolean {
  return childrenNamed(robot, 'link').some(
    (link) => hasGltfMesh(link, 'visual') || hasGltfMesh(link, 'collision'),
  );
}

function hasGltfMesh(link: XmlElement, role: Shape['role']): boolean {
  return childrenNamed(link, role).some((shape) => {
    const mesh = childNamed(childNamed(shape, 'geometry'), 'mesh');
    return mesh !== undefined && isGltfFile(mesh.attributes.filename);
  });
}

/** Whether something collides, and nothing of it is in glTF. */
function hasOther(link: XmlElement): boolean {
  return childrenNamed(link, 'collision').length > 0 && !hasGltfMesh(link, 'collision');
}

export function isGltfFile(filename = ''): boolean {
  return /\.gl(?:b|tf)$/i.test(filename);
}

function boundsOfShapes(shapes: readonly Shape[]): Bounds {
  return boundsOfPlaced(placedIn({ instances: shapes.flatMap(drawnParts), points: [] }));
}

/** How far the sides of two boxes are apart, by the size of the second; 0 if one is empty. */
function distance(one: Bounds, other: Bounds): number {
  const sides = ['minX', 'minY', 'minZ', 'maxX', 'maxY', 'maxZ'] as const;
  const size = Math.hypot(other.maxX - other.minX, other.maxY - other.minY, other.maxZ - other.minZ);
  const sum = sides.reduce((total, side) => total + Math.abs(one[side] - other[side]), 0);
  return Number.isFinite(sum) && size > 0 ? sum / size : 0;
}
