import type { Loss, ProofLine } from '@bindery/formats';
import type { LoadContext } from '@bindery/formats/context';
import { forGlb, GLB_ENTRY, writeGlb } from '@bindery/formats/gltf/write';
import { readMesh } from '@bindery/formats/mesh-mechanism';
import { forMujoco, withoutCollisions } from '@bindery/formats/mjcf/adapt';
import { readMjcfMechanism } from '@bindery/formats/mjcf/mechanism';
import { MJCF_ENTRY, writeMjcf } from '@bindery/formats/mjcf/write';
import { missingParts } from '@bindery/formats/model/losses';
import type { Mechanism } from '@bindery/formats/model/mechanism';
import { isUsd } from '@bindery/formats/read-mesh';
import { type FileSource, memoryFiles } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { forSdf } from '@bindery/formats/sdf/adapt';
import { readSdfMechanism } from '@bindery/formats/sdf/mechanism';
import { SDF_ENTRY, writeSdf } from '@bindery/formats/sdf/write';
import { forUrdf } from '@bindery/formats/urdf/adapt';
import { readUrdfMechanism } from '@bindery/formats/urdf/mechanism';
import { URDF_ENTRY, writeUrdf } from '@bindery/formats/urdf/write';
import { readUsdMechanism } from '@bindery/formats/usd/mechanism';
import { forUsd, USD_ENTRY, writeUsd } from '@bindery/formats/usd/write';
import { createRendererContext } from '../host/renderer-context.ts';
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

/** Reads a model of any kind. @throws Unrenderable for one that cannot be converted. */
export async function readModel({ kind, entry, files }: ModelToConvert): Promise<Mechanism> {
  const context = createRendererContext(files, LIMITS);
  const read = await readMechanism(kind, entry, context);
  const missing = missingParts(context.omissions);
  if (read.bodies.length === 0) throw new Unrenderable(missing[0]?.why ?? 'it has no bodies');
  return { ...read, losses: [...read.losses, ...missing] };
}

/** Writes a mechanism in a format and proves the result. @throws Unrenderable as `convertModel` does. */
export function writeModel(mechanism: Mechanism, target: ConversionTarget): Promise<Conversion> {
  switch (target) {
    case 'mjcf':
      return toMjcf(forMujoco(mechanism));
    case 'urdf':
      return toUrdf(forUrdf(mechanism));
    case 'sdf':
      return toSdf(forSdf(mechanism));
    case 'glb':
      return toGlb(forGlb(mechanism));
    case 'usd':
      return toUsd(forUsd(mechanism));
  }
}

async function readMechanism(kind: string, entry: string, context: LoadContext): Promise<Mechanism> {
  switch (kind) {
    case 'mjcf':
      return readMjcfMechanism(entry, context);
    case 'sdf':
      return readSdfMechanism(entry, context);
    case 'urdf':
      return readUrdfMechanism(entry, context);
    case 'usd':
      return readUsdMechanism(entry, context);
    case 'mesh':
      return isUsd(entry) ? readUsdMechanism(entry, context) : readMesh(entry, context);
    default:
      throw new Unrenderable(`cannot convert ${kind}`);
  }
}

async function toMjcf(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeMjcf(mechanism);
  const { proof, overlapping } = await withCompiled(MJCF_ENTRY, files, (compiled) => ({
    proof: prove(mechanism, compiled),
    overlapping: compiled.overlapping(),
  }));
  const apart = withoutCollisions(mechanism, overlapping);
  return apart === undefined ? { entry: MJCF_ENTRY, files, losses: mechanism.losses, proof } : toMjcf(apart);
}

async function toGlb(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeGlb(mechanism);
  const proof = prove(mechanism, await glbSubject(files.get(GLB_ENTRY) ?? new Uint8Array()));
  return { entry: GLB_ENTRY, files, losses: mechanism.losses, proof };
}

async function toUsd(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeUsd(mechanism);
  return readBack(mechanism, USD_ENTRY, files, readUsdMechanism);
}

async function toUrdf(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeUrdf(mechanism);
  return readBack(mechanism, URDF_ENTRY, files, readUrdfMechanism);
}

async function toSdf(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeSdf(mechanism);
  return readBack(mechanism, SDF_ENTRY, files, readSdfMechanism);
}

/** A conversion whose files are read again to compare them with the mechanism. */
async function readBack(
  mechanism: Mechanism,
  entry: string,
  files: ReadonlyMap<string, Uint8Array>,
  read: (entry: string, context: LoadContext) => Promise<Mechanism>,
): Promise<Conversion> {
  const result = await read(entry, createRendererContext(memoryFiles(files)));
  const proof = [...prove(mechanism, subjectOf(result)), await simulationLine(mechanism, result)];
  return { entry, files, losses: mechanism.losses, proof };
}
