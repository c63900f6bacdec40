import type { Fault, Loss, ProofLine, SimulationProblem } from '@bindery/formats';
import type { FormatWriter } from '@bindery/formats/format';
import { withoutCollisions } from '@bindery/formats/mjcf/adapt';
import { missingParts } from '@bindery/formats/model/losses';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { readMechanism } from '@bindery/formats/read';
import { type FileSource, memoryFiles } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { formatNamed } from '@bindery/formats/registry';
import { createRendererContext } from '../host/renderer-context.ts';
import { idleDriveProblems } from '../simulate/idle-drives.ts';
import type { SpeedLimits } from '../simulate/simulator.ts';
import { withCompiled } from './compiled.ts';
import { glbSubject } from './glb-subject.ts';
import { readMoving, type Source, trialOf } from './motion.ts';
import { prove, subjectOf } from './proof.ts';
import { simulationLines } from './simulation.ts';

export type ConversionTarget = 'mjcf' | 'urdf' | 'sdf' | 'glb' | 'usd';

export interface ModelToConvert {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  readonly files: FileSource;
}

export interface ConversionRequest extends ModelToConvert {
  readonly target: ConversionTarget;
}

export interface Conversion {
  /** The file of `files` to open. */
  readonly entry: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly losses: readonly Loss[];
  /** What was compared between the model and what it became. */
  readonly proof: readonly ProofLine[];
}

/** Pictures of textures stay as large as they are, up to what graphics hardware has anywhere. */
export const LIMITS = { textureSide: 4096 };

/** Whether actuators drive the models of formats that are simulated beside what they were made of. */
const IS_DRIVEN: Readonly<Partial<Record<ConversionTarget, boolean>>> = {
  urdf: false,
  sdf: false,
  usd: true,
};

/**
 * Converts a model and proves the result. @throws Unrenderable for a model that cannot be converted, and for one that
 * differs from what it became.
 */
export async function convertModel({ target, ...model }: ConversionRequest): Promise<Conversion> {
  return writeSource(await readSource(model, IS_DRIVEN[target]), target);
}

/** A model as MJCF, with what its own format says and MJCF cannot. */
export interface ModelToSimulate extends Conversion {
  readonly speeds: SpeedLimits;
  readonly faults: readonly Fault[];
  /** Drives that are lost, as they have no strength. */
  readonly idle: readonly SimulationProblem[];
}

/** @throws Unrenderable as `convertModel` does. */
export async function convertToSimulate(model: ModelToConvert): Promise<ModelToSimulate> {
  const mechanism = await readModel(model);
  const joints = mechanism.bodies.flatMap((body) => body.joints);
  const speeds = new Map(
    joints.flatMap(({ name, velocity }): [string, number][] =>
      velocity === undefined ? [] : [[name, velocity]],
    ),
  );
  const isXml = model.kind === 'urdf' || model.kind === 'sdf';
  const idle = isXml ? idleDriveProblems(await model.files.read(model.entry)) : [];
  return { ...(await writeModel(mechanism, 'mjcf')), speeds, faults: mechanism.faults, idle };
}

/** Reads a model of any kind. @throws Unrenderable for one that cannot be converted. */
export async function readModel(model: ModelToConvert): Promise<Mechanism> {
  return (await readSource(model)).mechanism;
}

/** Writes a mechanism in a format and proves the result. @throws Unrenderable as `convertModel` does. */
export function writeModel(mechanism: Mechanism, target: ConversionTarget): Promise<Conversion> {
  return writeSource({ mechanism }, target);
}

/** `isDriven`: how it moves is of interest, with actuators or without them. */
async function readSource({ kind, entry, files }: ModelToConvert, isDriven?: boolean): Promise<Source> {
  const context = createRendererContext(files, LIMITS);
  const source =
    kind === 'mjcf' && isDriven !== undefined
      ? await readMoving(entry, context, isDriven)
      : { mechanism: await readMechanism({ kind, entry }, context) };
  const missing = missingParts(context.omissions);
  const { mechanism } = source;
  if (mechanism.bodies.length === 0) throw new Unrenderable(missing[0]?.why ?? 'it has no bodies');
  refuseFaults(mechanism);
  return { ...source, mechanism: { ...mechanism, losses: [...mechanism.losses, ...missing] } };
}

/** @throws Unrenderable for what is wrong with a mechanism such that no other format can hold it. */
function refuseFaults({ bodies, faults }: Mechanism): void {
  const isBroken = bodies.some(
    ({ inertial }) => inertial?.inertia.every(Number.isFinite) === false || !((inertial?.mass ?? 0) >= 0),
  );
  const fault = faults.find(({ of }) => of === 'tree' || of === 'mass') ?? (isBroken ? faults[0] : undefined);
  if (fault !== undefined) throw new Unrenderable(fault.message);
}

async function writeSource(source: Source, target: ConversionTarget): Promise<Conversion> {
  const format = formatNamed(target === 'glb' ? 'gltf' : target);
  const writer = await format?.loadWriter?.();
  if (writer === undefined) throw new Unrenderable(`cannot convert to ${target}`);
  return written(source, writer.adapt(source.mechanism), target, writer);
}

async function written(
  source: Source,
  mechanism: Mechanism,
  target: ConversionTarget,
  writer: FormatWriter,
): Promise<Conversion> {
  const { entry } = writer;
  const files = await writer.write(mechanism);
  const conversion = { entry, files };
  const context = createRendererContext(memoryFiles(files));
  if (target === 'mjcf') {
    const { overlapping, ...proved } = await withCompiled(entry, context, (compiled) => ({
      ...prove(mechanism, compiled),
      overlapping: compiled.overlapping(),
    }));
    const apart = withoutCollisions(mechanism, overlapping);
    return apart === undefined ? { ...conversion, ...proved } : written(source, apart, target, writer);
  }
  if (target === 'glb') {
    const subject = await glbSubject(files.get(entry) ?? new Uint8Array(), context.textures);
    return { ...conversion, ...prove(mechanism, subject) };
  }
  const result = await readMechanism({ kind: target, entry }, context);
  refuseNewFaults(mechanism, result);
  const trial = trialOf(source, IS_DRIVEN[target] ?? false);
  const names = writer.names?.(source.mechanism);
  const simulated = await simulationLines(source, mechanism, result, trial, names);
  const { proof, losses } = prove(mechanism, subjectOf(result));
  return { ...conversion, losses, proof: [...proof, ...simulated] };
}

/** @throws Unrenderable if the library of its format refuses a result for what its source does not have. */
function refuseNewFaults(source: Mechanism, { faults }: Mechanism): void {
  const fault = faults.find(({ of }) => of === undefined || !source.faults.some((one) => one.of === of));
  if (fault !== undefined)
    throw new Unrenderable(`the conversion is not proved: its result is refused, as ${fault.message}`);
}
