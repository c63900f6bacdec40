import { formatLength } from '../../format-quantities.ts';
import type { ViewerContent } from '../viewer.ts';

/** Formats a length on the stage, in metres if it is known how long they are there. */
export function lengthOf(length: number, { metres }: Pick<ViewerContent, 'metres'>): string {
  return metres === undefined ? formatLength(length, undefined) : formatLength(length * metres, 'm');
}
