import { IDENTITY, type Matrix4, multiply, scaling } from '../../matrix.ts';
import { type Instance, plainMaterial } from '../../scene.ts';
import type { LoadContext } from '../context.ts';
import { ColladaDocument } from './document.ts';
import { ColladaGeometries } from './geometry.ts';
import { ColladaMaterials } from './materials.ts';
import { placeGeometries } from './nodes.ts';

/**
 * Rotations that map the up axis to Y, and the axis towards the viewer to Z, as in the specification's table for
 * `<up_axis>`.
 */
const UPRIGHT: Record<'x' | 'y' | 'z', Matrix4> = {
  x: [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
  y: IDENTITY,
  z: [1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1],
};

/** The contents of a COLLADA 1.4 or 1.5 file, in metres on its own axes, and the rotation that makes Y point up. */
export interface Collada {
  readonly instances: readonly Instance[];
  readonly hasMaterials: boolean;
  readonly upright: Matrix4;
}

export async function loadCollada(path: string, context: LoadContext): Promise<Collada> {
  const { budget } = context;
  const document = new ColladaDocument(await context.files.read(path), budget);
  const geometries = new ColladaGeometries(document, budget);
  const materials = new ColladaMaterials(document, path, context);
  const toMeters = scaling(document.metersPerUnit, document.metersPerUnit, document.metersPerUnit);
  const instances: Instance[] = [];
  let hasMaterials = false;
  for (const placement of placeGeometries(document, budget)) {
    const transform = multiply(toMeters, placement.transform);
    for (const { geometry, transform: own, symbol = '' } of geometries.parts(placement.geometry)) {
      budget.spend('nodes', 1);
      budget.spend('triangles', geometry.indices.length / 3);
      budget.spend('vertices', geometry.positions.length / 3);
      const material = await materials.material(placement.materials.get(symbol) ?? `#${symbol}`);
      hasMaterials ||= material !== undefined || geometry.colors !== undefined;
      instances.push({
        geometry,
        material: material ?? plainMaterial(geometry),
        transform: multiply(transform, own),
        names: placement.names,
      });
    }
  }
  return { instances, hasMaterials, upright: UPRIGHT[document.upAxis] };
}
