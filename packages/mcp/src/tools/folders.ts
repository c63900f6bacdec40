import { assetId } from '@bindery/contract';
import { z } from 'zod';
import { BOUNDS } from '../bounds.ts';

export const folderInput = z
  .string()
  .min(1)
  .max(1_024)
  .describe('Below the root of this server, with slashes: scenes/kitchen. A dot is the root itself.');

export const assetsInput = z
  .array(assetId)
  .min(1)
  .max(200)
  .optional()
  .describe('Ids of the assets; all if omitted.');

/** The first of many paths; counts beside them say how many there are. */
export function firstOf(paths: readonly string[]): string[] {
  return paths.slice(0, BOUNDS.listedPaths);
}
