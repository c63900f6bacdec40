import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LENGTH_UNITS, MATERIALS, type SimReady, simReadyProblem } from '@bindery/sdk';
import type { EntryPoints, MadeProp } from '@bindery/sdk/libraries';
import { oneOf, option, UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { threeDigits } from './info.ts';

/** Limits for one mesh. */
const BOUNDS = { workers: 1, timeoutMs: 300_000, memoryMiB: 4_096 };

/** A length, a mass or a density. */
function positive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0 && number < Infinity))
    throw new UsageProblem('expected a number above 0, such as 0.3');
  return number;
}

/** What a mesh does not say of itself. */
export const simReadyInputs = {
  material: option('<name>', 'of the rigid body: density and friction', oneOf(...keysOf(MATERIALS))),
  mass: option('<kg>', 'of the rigid body', positive),
  density: option('<kg/m³>', 'of the rigid body, instead of its mass', positive),
  unit: option('<unit>', 'what a length of 1 in the mesh is', oneOf(...keysOf(LENGTH_UNITS))),
  height: option('<m>', 'how high it stands, instead of its unit', positive),
  thickness: option('<m>', 'of the walls of an open mesh', positive),
};

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}

/** What is asked of a mesh that becomes a rigid body if `flag` is given; throws a usage error if it cannot. */
export function simReadyOf(flag: string, isGiven: boolean, inputs: SimReady): SimReady | undefined {
  const { material, mass, density, unit, height, thickness } = inputs;
  const asked = { material, mass, density, unit, height, thickness };
  if (!isGiven) {
    const [one] = Object.entries(asked).find(([, value]) => value !== undefined) ?? [];
    if (one !== undefined) throw usageError(`--${one} goes with ${flag}.`);
    return undefined;
  }
  const problem = simReadyProblem(asked);
  if (problem !== undefined) throw usageError(`${flag}: ${problem.message}.`);
  return asked;
}

interface PropInputs extends SimReady {
  asProp: boolean;
}

/** Runs `work` with the folder to add: the source itself, or a prop that is made of it and removed afterwards. */
export async function withProp<T>(
  source: string,
  inputs: PropInputs,
  context: Context,
  work: (folder: string, made?: { measures: MadeProp; entryPoints: EntryPoints }) => Promise<T>,
): Promise<T> {
  const asked = simReadyOf('--as-prop', inputs.asProp, inputs);
  if (asked === undefined) return work(source);
  const { createConversionPool } = await optionalPackage(
    '@bindery/render',
    'Making a prop',
    () => import('@bindery/render'),
  );
  const { makeProp } = await import('@bindery/sdk/libraries');
  const parent = mkdtempSync(join(tmpdir(), 'bindery-prop-'));
  await using pool = createConversionPool(BOUNDS);
  // Splitting a mesh does not listen to signals; its process can only be ended.
  const stop = () => void pool[Symbol.asyncDispose]();
  context.signal.addEventListener('abort', stop, { once: true });
  try {
    const { folder, entryPoints, ...measures } = await makeProp(source, parent, pool, asked);
    return await work(folder, { measures, entryPoints });
  } finally {
    context.signal.removeEventListener('abort', stop);
    rmSync(parent, { recursive: true, force: true });
  }
}

export function reportProp(prop: MadeProp | null, output: Output): void {
  if (prop === null) return;
  const { mass, side, parts, warnings, mujoco } = prop;
  output.note(
    `Prop: ${threeDigits(side)} m long, ${threeDigits(mass)} kg, ${formatCount(parts, 'convex part')}; it rests on a floor in MuJoCo ${mujoco}.`,
  );
  for (const warning of warnings) output.warn(warning);
}
