import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { MadeProp, ProofLine, PropToMake } from '@bindery/formats';
import type { LoadContext } from '@bindery/formats/context';
import { subtract } from '@bindery/formats/model/matrix';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { writeModel } from './convert/convert.ts';
import { type PropMeasures, type PropOptions, readProp } from './convert/prop.ts';
import { createRendererContext } from './host/renderer-context.ts';
import { tryProp } from './simulate/prop-trials.ts';

/** Where a prop has which format. Each has its own meshes, as MuJoCo reads no materials of OBJ. */
const MODELS = [
  { target: 'mjcf', folder: '', file: (name: string) => `${name}.xml` },
  { target: 'urdf', folder: 'urdf', file: (name: string) => `${name}.urdf` },
  { target: 'sdf', folder: 'sdf', file: (name: string) => `${name}.sdf` },
] as const;

/** What a prop may be if its author says so. */
const ODD: ReadonlySet<string> = new Set(['mass-implausible', 'size-implausible']);

/** Makes a rigid body of a mesh. @throws Unrenderable for a mesh that cannot be one, or that does not simulate. */
export async function makeProp({ root, entry, sizes, into, ...options }: PropToMake): Promise<MadeProp> {
  const source = { sizes, read: async (path: string) => new Uint8Array(await readFile(join(root, path))) };
  const made = await triedProp(entry, options, createRendererContext(source));
  const { mechanism, mujoco } = made;
  const { box, ...measures } = made.measures;
  for (const { target, folder, file } of MODELS) {
    const { entry: written, files } = await writeModel(mechanism, target);
    for (const [path, bytes] of files) {
      // Names the file that Gazebo opens, which is another one here.
      if (path === 'model.config') continue;
      const place = join(into, folder, path === written ? file(options.name) : path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes, { flag: 'wx' });
    }
  }
  const warnings = mechanism.losses.map(({ what, why }) => `${what}: ${why}`);
  return { ...measures, side: Math.max(...subtract(box[1], box[0])), warnings, mujoco };
}

/** A rigid body, and what it did in MuJoCo. */
export interface TriedProp {
  /** Its losses say what was assumed, and what it cannot do. */
  readonly mechanism: Mechanism;
  readonly measures: PropMeasures;
  readonly proof: readonly ProofLine[];
  readonly mujoco: string;
}

/** Reads a mesh as a rigid body and tries it. @throws Unrenderable as `makeProp` does. */
export async function triedProp(
  entry: string,
  options: PropOptions,
  context: LoadContext,
): Promise<TriedProp> {
  const { mechanism, measures, proof } = await readProp(entry, options, context);
  const trials = await tryProp({ mechanism, ...measures });
  const isOdd = ({ code }: { code: string }) => ODD.has(code);
  const wrong = trials.problems.find((problem) => !isOdd(problem));
  if (wrong !== undefined) throw new Unrenderable(`the prop does not simulate: ${wrong.message}`);
  const odd = trials.problems
    .filter(isOdd)
    .map(({ code, message }) => ({ what: code, names: [], why: message }));
  const losses = [...mechanism.losses, ...trials.losses, ...odd];
  const { mujoco } = trials;
  return { mechanism: { ...mechanism, losses }, measures, proof: [...proof, ...trials.proof], mujoco };
}
