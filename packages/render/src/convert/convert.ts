import { Unrenderable } from '../errors.ts';
import type { FileSource } from '../files.ts';
import type { LoadContext } from '../load/context.ts';
import { createRendererContext } from '../load/sharp-images.ts';
import { withCompiled } from './compiled.ts';
import type { Loss, Mechanism } from './mechanism.ts';
import { type ProofLine, prove } from './proof.ts';
import { readUrdfMechanism } from './read/urdf.ts';
import { forMujoco } from './write/for-mujoco.ts';
import { MJCF_ENTRY, writeMjcf } from './write/mjcf.ts';

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
  throw new Unrenderable(`cannot convert ${kind} to ${target}`);
}

async function readMechanism(kind: string, entry: string, context: LoadContext): Promise<Mechanism> {
  if (kind === 'urdf') return readUrdfMechanism(entry, context);
  throw new Unrenderable(`cannot convert ${kind}`);
}

async function toMjcf(mechanism: Mechanism): Promise<Conversion> {
  const files = await writeMjcf(mechanism);
  const proof = await withCompiled(MJCF_ENTRY, files, (compiled) => prove(mechanism, compiled));
  return { entry: MJCF_ENTRY, files, losses: mechanism.losses, proof };
}
