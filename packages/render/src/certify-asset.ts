import type { Course, Loss, SimulationProblem } from '@bindery/formats';
import type { LoadContext } from '@bindery/formats/context';
import { compileModel, PluginNeeded } from '@bindery/formats/mjcf/compile';
import { copyModelFiles } from '@bindery/formats/mjcf/model-files';
import { memoryFiles } from '@bindery/formats/reading/asset-files';
import { NothingVisible, Unrenderable } from '@bindery/formats/reading/errors';
import type { MainModule, MjModel } from '@mujoco/mujoco';
import { convertToSimulate, type ModelToConvert } from './convert/convert.ts';
import type { EngineRun } from './engines/verdict.ts';
import { withMujoco } from './host/mujoco.ts';
import { createRendererContext, encodeAnimation } from './host/renderer-context.ts';
import { drawRun } from './simulate/run-pictures.ts';
import { simulateModel } from './simulate/simulate.ts';

/** What a robot did in MuJoCo: the same on every machine for the same files. */
export interface Certification {
  readonly mujoco: string;
  /** In seconds; absent for a model that does not compile. */
  readonly timestep?: number;
  readonly rest?: Course;
  readonly control?: Course;
  readonly problems: readonly (
    | SimulationProblem
    | { readonly code: 'mjcf-does-not-compile'; readonly message: string }
  )[];
  /** What was left out when the model was converted to MJCF. */
  readonly losses: readonly Loss[];
  /** What other engines made of it, if some were asked. */
  readonly engines?: readonly EngineRun[];
}

/** A certification with an animated picture of the run as WebP, if anything is visible. */
export interface CertifiedModel {
  readonly certification: Certification;
  readonly animation?: Uint8Array;
}

/**
 * Simulates the model that an asset opens and draws its run.
 *
 * @throws Unrenderable for a model that cannot be simulated here: one that cannot be converted to MJCF, or needs a plugin.
 */
export async function certifyAsset(model: ModelToConvert): Promise<CertifiedModel> {
  const { entry, files, losses, speeds, written } =
    model.kind === 'mjcf'
      ? { ...model, losses: [], speeds: undefined, written: [] }
      : await convertedToMjcf(model);
  const context = createRendererContext(files);
  await context.files.readPackageNames();
  return withMujoco(async (mujoco) => {
    const compiled = await compile(mujoco, entry, context);
    if ('problem' in compiled)
      return { certification: { mujoco: mujoco.mj_versionString(), problems: [compiled.problem], losses } };
    try {
      const poses: Float64Array[] = [];
      const simulation = simulateModel(mujoco, compiled.model, {
        speeds,
        onMoment: (pose) => poses.push(pose),
      });
      const problems = [...written, ...simulation.problems];
      const certification = { ...simulation, problems, losses };
      const animation = await animate(mujoco, compiled.model, poses, context);
      return { certification, ...(animation && { animation }) };
    } finally {
      compiled.model.delete();
    }
  });
}

async function convertedToMjcf(model: ModelToConvert) {
  const converted = await convertToSimulate(model);
  const reversed = converted.faults
    .filter(({ of }) => of === 'limits')
    .map(({ message }): SimulationProblem => ({ code: 'joint-limits-reversed', message }));
  return { ...converted, files: memoryFiles(converted.files), written: [...reversed, ...converted.idle] };
}

async function compile(
  mujoco: MainModule,
  entry: string,
  context: LoadContext,
): Promise<{ model: MjModel } | { problem: Certification['problems'][number] }> {
  const path = await copyModelFiles(mujoco, entry, context);
  try {
    return { model: compileModel(mujoco, path) };
  } catch (error) {
    if (!(error instanceof Unrenderable) || error instanceof PluginNeeded) throw error;
    return { problem: { code: 'mjcf-does-not-compile', message: error.message } };
  }
}

async function animate(
  mujoco: MainModule,
  model: MjModel,
  poses: readonly Float64Array[],
  context: LoadContext,
): Promise<Uint8Array | undefined> {
  try {
    return await encodeAnimation(await drawRun(mujoco, model, poses, context), ANIMATION);
  } catch (error) {
    if (error instanceof NothingVisible || error instanceof Unrenderable) return undefined;
    throw error;
  }
}

/** Of the animation; a picture is shown for so many milliseconds. */
const ANIMATION = { quality: 60, alphaQuality: 60, delay: 100 } as const;
