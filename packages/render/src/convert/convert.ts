import { type Fault, formatNamed, type Loss, type ProofLine, type SimulationProblem } from '@bindery/formats';
import type { FormatWriter } from '@bindery/formats/format';
import { withoutCollisions } from '@bindery/formats/mjcf/adapt';
import { missingParts } from '@bindery/formats/model/losses';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { readMechanism } from '@bindery/formats/read';
import { type FileSource, memoryFiles } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { createRendererContext } from '../host/renderer-context.ts';
import { idleDriveProblems } from '../simulate/idle-drives.ts';
import type { SpeedLimits } from '../simulate/simulator.ts';
import { withCompiled } from './compiled.ts';
import { glbSubject } from './glb-subject.ts';
import { prove, subjectOf } from './proof.ts';
import { simulationLine } from './simulation.ts';

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
const LIMITS = { textureSide: 4096 };

/**
 * Converts a model and proves the result. @throws Unrenderable for a model that cannot be converted, and for one that
 * differs from what it became.
 */
export async function convertModel({ target, ...model }: ConversionRequest): Promise<Conversion> {
  return writeModel(await readModel(model), target);
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
export async function readModel({ kind, entry, files }: ModelToConvert): Promise<Mechanism> {
  const context = createRendererContext(files, LIMITS);
  const read = await readMechanism({ kind, entry }, context);
  const missing = missingParts(context.omissions);
  if (read.bodies.length === 0) throw new Unrenderable(missing[0]?.why ?? 'it has no bodies');
  const isBroken = read.bodies.some(
    ({ inertial }) => inertial?.inertia.every(Number.isFinite) === false || !((inertial?.mass ?? 0) >= 0),
  );
  const fault =
    read.faults.find(({ of }) => of === 'tree' || of === 'mass') ?? (isBroken ? read.faults[0] : undefined);
  if (fault !== undefined) throw new Unrenderable(fault.message);
  return { ...read, losses: [...read.losses, ...missing] };
}

/** Writes a mechanism in a format and proves the result. @throws Unrenderable as `convertModel` does. */
export async function writeModel(mechanism: Mechanism, target: ConversionTarget): Promise<Conversion> {
  const format = formatNamed(target === 'glb' ? 'gltf' : target);
  const writer = await format?.loadWriter?.();
  if (writer === undefined) throw new Unrenderable(`cannot convert to ${target}`);
  return written(writer.adapt(mechanism), target, writer);
}

async function written(
  mechanism: Mechanism,
  target: ConversionTarget,
  writer: FormatWriter,
): Promise<Conversion> {
  const { entry } = writer;
  const files = await writer.write(mechanism);
  const conversion = { entry, files, losses: mechanism.losses };
  if (target === 'mjcf') {
    const { proof, overlapping } = await withCompiled(entry, files, (compiled) => ({
      proof: prove(mechanism, compiled),
      overlapping: compiled.overlapping(),
    }));
    const apart = withoutCollisions(mechanism, overlapping);
    return apart === undefined ? { ...conversion, proof } : written(apart, target, writer);
  }
  if (target === 'glb') {
    const subject = await glbSubject(files.get(entry) ?? new Uint8Array());
    return { ...conversion, proof: prove(mechanism, subject) };
  }
  const result = await readMechanism({ kind: target, entry }, createRendererContext(memoryFiles(files)));
  const proof = [...prove(mechanism, subjectOf(result)), await simulationLine(mechanism, result)];
  return { ...conversion, proof };
}
