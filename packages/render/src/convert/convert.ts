import { Unrenderable } from '../errors.ts';
import { type FileSource, memoryFiles } from '../files.ts';
import type { LoadContext } from '../load/context.ts';
import { isUsd } from '../load/mesh.ts';
import { createRendererContext } from '../load/sharp-images.ts';
import { withCompiled } from './compiled.ts';
import { glbSubject } from './glb-subject.ts';
import type { Loss, Mechanism } from './mechanism.ts';
import { type ProofLine, prove, subjectOf } from './proof.ts';
import { readMesh } from './read/mesh.ts';
import { readMjcfMechanism } from './read/mjcf.ts';
import { readUrdfMechanism } from './read/urdf.ts';
import { readUsdMechanism } from './read/usd.ts';
import { forMujoco } from './write/for-mujoco.ts';
import { forGlb, GLB_ENTRY, writeGlb } from './write/glb.ts';
import { MJCF_ENTRY, writeMjcf } from './write/mjcf.ts';
import { forUsd, USD_ENTRY, writeUsd } from './write/usd.ts';

export type { ProofLine } from './proof.ts';

export type ConversionTarget = 'mjcf' | 'urdf' | 'sdf' | 'glb' | 'usd';

/** A model to convert. */
export interface ConversionRequest {
  readonly kind: string;
  readonly format: string | undefined;
  readonly entry: string;
  readonly files: FileSource;
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

/**
 * Converts a model and proves the result. @throws Unrenderable for a model that cannot be converted, and for one that
 * differs from what it became.
 */
export async function convertModel({ kind, entry, files, target }: ConversionRequest): Promise<Conversion> {
  const mechanism = await readMechanism(kind, entry, createRendererContext(files));
  if (target === 'mjcf') return toMjcf(forMujoco(mechanism));
  if (target === 'glb') return toGlb(forGlb(mechanism));
  if (target === 'usd') return toUsd(forUsd(mechanism));
  throw new Unrenderable(`cannot convert ${kind} to ${target}`);
}

async function readMechanism(kind: string, entry: string, context: LoadContext): Promise<Mechanism> {
  if (kind === 'urdf') return readUrdfMechanism(entry, context);
  if (kind === 'mjcf') return readMjcfMechanism(entry, context);
  if (kind === 'mesh') return isUsd(entry) ? readUsdMechanism(entry, context) : readMesh(entry, context);
  throw new Unrenderable(`cannot convert ${kind}`);
}

async function toMjcf(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeMjcf(mechanism);
  const proof = await withCompiled(MJCF_ENTRY, files, (compiled) => prove(mechanism, compiled));
  return { entry: MJCF_ENTRY, files, losses: mechanism.losses, proof };
}

async function toGlb(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeGlb(mechanism);
  const proof = prove(mechanism, await glbSubject(files.get(GLB_ENTRY) ?? new Uint8Array()));
  return { entry: GLB_ENTRY, files, losses: mechanism.losses, proof };
}

async function toUsd(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeUsd(mechanism);
  const written = await readUsdMechanism(USD_ENTRY, createRendererContext(memoryFiles(files)));
  return { entry: USD_ENTRY, files, losses: mechanism.losses, proof: prove(mechanism, subjectOf(written)) };
}
