import type { BoundedFile, Survey } from '../survey.ts';
import { pointLines } from './lines.ts';

const HEAD = 64 * 1024;

/** Recognises points by lines of numbers; null for other texts of that extension. */
export function surveyXyz(file: BoundedFile): Survey | null {
  return pointLines(file.head(HEAD)) === undefined ? null : { type: 'xyz', certain: true, references: [] };
}
