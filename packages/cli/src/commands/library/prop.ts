import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryPoints, PropMeasures } from '@bindery/sdk/libraries';
import { UsageProblem } from '../../command.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../output/command-error.ts';
import type { Output } from '../../output/output.ts';
import { formatCount } from '../../output/text.ts';
import { optionalPackage } from '../optional-package.ts';
import { threeDigits } from './info.ts';

/** Limits for one mesh. */
const BOUNDS = { workers: 1, timeoutMs: 300_000, memoryMiB: 4_096 };

/** A mass or a density. */
export function positive(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number > 0 && number < Infinity))
    throw new UsageProblem('expected a number above 0, such as 0.3');
  return number;
}

interface PropInputs {
  asProp: boolean;
  mass: number | undefined;
  density: number | undefined;
  unit: 'm' | 'cm' | 'mm' | 'in' | undefined;
}

/** Runs `work` with the folder to add: the source itself, or a prop that is made of it and removed afterwards. */
export async function withProp<T>(
  source: string,
  inputs: PropInputs,
  context: Context,
  work: (folder: string, made?: { measures: PropMeasures; entryPoints: EntryPoints }) => Promise<T>,
): Promise<T> {
  const { asProp, unit } = inputs;
  const weight = weightOf(inputs);
  if (!asProp) return work(source);
  if (weight === null)
    throw usageError('--as-prop needs --mass, in kilograms, or --density, in kilograms per cubic metre.');
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
    const { folder, entryPoints, ...measures } = await makeProp(source, parent, pool, { weight, unit });
    return await work(folder, { measures, entryPoints });
  } finally {
    context.signal.removeEventListener('abort', stop);
    rmSync(parent, { recursive: true, force: true });
  }
}

function weightOf({ asProp, mass, density, unit }: PropInputs) {
  const isGiven = mass !== undefined || density !== undefined || unit !== undefined;
  if (isGiven && !asProp) throw usageError('--mass, --density and --unit go with --as-prop.');
  if (mass !== undefined && density !== undefined)
    throw usageError('--mass and --density are two ways to say the same.', 'Give one of them.');
  if (mass !== undefined) return { mass };
  return density === undefined ? null : { density };
}

export function reportProp(prop: PropMeasures | null, output: Output): void {
  if (prop === null) return;
  const { mass, side, parts, warnings, mujoco } = prop;
  output.note(
    `Prop: ${threeDigits(side)} m long, ${threeDigits(mass)} kg, ${formatCount(parts, 'convex part')}; it rests on a floor in MuJoCo ${mujoco}.`,
  );
  for (const warning of warnings) output.warn(warning);
}
