import type { StepMesh } from '@bindery/formats/context';
import { srgbToLinear } from '@bindery/formats/images/pixels';
import { ReaderMissing, Unrenderable } from '@bindery/formats/reading/errors';

type Occt = Awaited<ReturnType<typeof import('occt-import-js')['default']>>;

/**
 * Reads STEP with Open CASCADE, which is installed by those who need it: it is large, and under the LGPL. Each file gets
 * an instance of its own, since a damaged one can leave it in any state.
 */
export async function readStepWithOcct(bytes: Uint8Array): Promise<readonly StepMesh[]> {
  const { success, meshes } = solidsIn(await start(), bytes);
  if (!success) throw new Unrenderable('the STEP file is damaged, or not one');
  return meshes.map(({ name, color, attributes, index, brep_faces: faces }) => {
    const positions = Float32Array.from(attributes.position.array);
    const indices = Uint32Array.from(index.array);
    const last = positions.length / 3;
    if (!indices.every((vertex) => vertex < last) || !positions.every(Number.isFinite))
      throw new Unrenderable('the STEP file has a solid without a shape');
    return {
      name,
      color: color && linear(color),
      positions,
      normals: attributes.normal && Float32Array.from(attributes.normal.array),
      indices,
      faces: (faces ?? []).map((face) => ({ ...face, color: face.color && linear(face.color) })),
    };
  });
}

function solidsIn(occt: Occt, bytes: Uint8Array): ReturnType<Occt['ReadStepFile']> {
  try {
    return occt.ReadStepFile(bytes, { linearUnit: 'meter' });
  } catch (error) {
    throw new Unrenderable('the STEP file cannot be read', { cause: error });
  }
}

async function start(): Promise<Occt> {
  const quiet = { print: () => {}, printErr: () => {} };
  try {
    const { default: open } = await import('occt-import-js');
    return await open(quiet);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ReaderMissing('STEP needs a part that is not installed: npm install occt-import-js', {
      cause: error,
    });
  }
}

function linear([red, green, blue]: readonly [number, number, number]): readonly [number, number, number] {
  return [srgbToLinear(red), srgbToLinear(green), srgbToLinear(blue)];
}
