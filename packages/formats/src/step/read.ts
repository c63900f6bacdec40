import type { LoadContext, StepMesh } from '../context.ts';
import { asPlainText } from '../files/text.ts';
import type { FormatReader } from '../format.ts';
import { IDENTITY } from '../model/matrix.ts';
import type { MeshFile } from '../model/mesh-file.ts';
import { gather, withCreaseNormals } from '../model/normals.ts';
import { DEFAULT_MATERIAL, type Instance } from '../model/scene.ts';
import { Unrenderable } from '../reading/errors.ts';

type Color = StepMesh['color'] | null;

export const reader: FormatReader = { readMesh: loadStep };

/** Loads the solids of a STEP file, in metres. */
async function loadStep(path: string, context: LoadContext): Promise<MeshFile> {
  const { budget, files, readStep } = context;
  if (readStep === undefined) throw new Unrenderable('STEP is not read in browsers');
  const instances: Instance[] = [];
  for (const mesh of await readStep(asPlainText(await files.read(path)))) {
    budget.spend('nodes', 1);
    budget.spend('vertices', mesh.positions.length / 3);
    budget.spend('triangles', mesh.indices.length / 3);
    for (const [color, triangles] of byColor(mesh)) {
      const indices = Uint32Array.from(
        triangles.flatMap((at) => [...mesh.indices.subarray(at * 3, at * 3 + 3)]),
      );
      const { positions, normals } = mesh;
      instances.push({
        geometry: normals
          ? { positions, normals, indices }
          : withCreaseNormals(
              gather(positions, indices, 3),
              indices.map((_, at) => at),
            ),
        material: color ? { ...DEFAULT_MATERIAL, baseColor: [...color, 1] } : DEFAULT_MATERIAL,
        transform: IDENTITY,
        names: [mesh.name],
      });
    }
  }
  if (instances.length === 0) throw new Unrenderable('the STEP file has no solids');
  const hasMaterials = instances.some(({ material }) => material !== DEFAULT_MATERIAL);
  return { instances, points: [], isYUp: false, hasMaterials };
}

/** The triangles of each colour. */
function byColor({ color, faces, indices }: StepMesh): Map<Color, number[]> {
  const colors: Color[] = Array<Color>(indices.length / 3).fill(color ?? null);
  for (const face of faces) {
    if (face.color !== null) colors.fill(face.color, Math.max(0, face.first), face.last + 1);
  }
  const own = new Map<string, Color>();
  const groups = new Map<Color, number[]>();
  for (const [triangle, one] of colors.entries()) {
    const key = String(one);
    const same = own.has(key) ? (own.get(key) ?? null) : one;
    own.set(key, same);
    const group = groups.get(same) ?? [];
    group.push(triangle);
    groups.set(same, group);
  }
  return groups;
}
