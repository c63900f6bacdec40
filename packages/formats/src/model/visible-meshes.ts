import type { Mechanism, Mesh, MeshPart, Shape } from './mechanism.ts';
import { surfaceOf } from './primitives.ts';
import { type Material, plainMaterial } from './scene.ts';

/**
 * A mechanism whose visuals are meshes, for formats of pictures: its own or, if it has none, what collides. Planes,
 * which have no end, are among its losses. Shapes of the same form share a mesh.
 */
export function withVisibleMeshes(mechanism: Mechanism): Mechanism {
  const all = mechanism.bodies.flatMap(({ shapes }) => shapes);
  const isSolid = ({ form }: Shape) => form.type !== 'plane';
  const hasVisuals = all.some((shape) => shape.role === 'visual' && isSolid(shape));
  const primitives = new Map<string, Mesh>();
  const meshOf = ({ form }: Shape): Mesh | undefined => {
    if (form.type === 'plane' || form.type === 'mesh') return form.type === 'mesh' ? form : undefined;
    const key = JSON.stringify(form);
    const part: MeshPart = { geometry: surfaceOf(form), material: undefined };
    const mesh = primitives.get(key) ?? { type: 'mesh', name: form.type, parts: [part] };
    primitives.set(key, mesh);
    return mesh;
  };
  const visuals = (shapes: readonly Shape[]) =>
    shapes
      .filter(({ role }) => role === (hasVisuals ? 'visual' : 'collision'))
      .flatMap((shape): Shape[] => {
        const form = meshOf(shape);
        return form === undefined ? [] : [{ ...shape, role: 'visual', form }];
      });
  const planes = all.filter((shape) => shape.role === 'visual' && !isSolid(shape)).map(({ name }) => name);
  const why = 'it has no end, so that it is not drawn';
  return {
    ...mechanism,
    bodies: mechanism.bodies.map((body) => ({
      ...body,
      shapes: [...visuals(body.shapes), ...body.shapes.filter(({ role }) => role === 'collision')],
    })),
    losses: [...mechanism.losses, ...(planes.length > 0 ? [{ what: 'plane', names: planes, why }] : [])],
  };
}

/** A mesh of a visual, and the material that it is drawn with. */
export interface VisiblePart {
  readonly mesh: string;
  readonly geometry: MeshPart['geometry'];
  readonly material: Material;
}

/** The parts of a visual that is a mesh. */
export function visibleParts({ form, material: own }: Shape): VisiblePart[] {
  if (form.type !== 'mesh') return [];
  return form.parts
    .filter(({ geometry }) => geometry.indices.length > 0)
    .map(({ geometry, material }) => {
      const isPainted = material === undefined && own !== undefined;
      return {
        mesh: form.name,
        geometry: isPainted && geometry.colors ? { ...geometry, colors: undefined } : geometry,
        material: material ?? own ?? plainMaterial(geometry),
      };
    });
}
