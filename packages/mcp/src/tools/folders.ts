import { assetId } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../arguments.ts';

export const folderInput = z
  .string()
  .min(1)
  .max(1_024)
  .describe('Below the root of this server, such as scenes/kitchen, or absolute. A dot is the root.');

export const fileInput = z.string().min(1).max(1_024);

export const thumbnailsInput = z
  .boolean()
  .default(false)
  .describe(
    'Whether to draw models that have no picture, and describe their shapes for find_similar; slow the first time. The same in plan_push and push.',
  );

export const assetsInput = z
  .array(assetId)
  .min(1)
  .max(200)
  .optional()
  .describe('Ids of the assets; all if omitted.');

export const amount = z.object({ files: z.int(), bytes: z.int() });

/** Returns the first of many paths; other fields of the answer count all of them. */
export function limitPaths(paths: readonly string[]): string[] {
  return paths.slice(0, BOUNDS.listedPaths);
}
