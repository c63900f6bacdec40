import { asPlainText } from '../files/text.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { pointLines } from './lines.ts';

export const xyz = {
  name: 'xyz',
  preference: 150,
  family: 'points',
  extensions: [],
  ambiguous: ['pts', 'xyz'],
  up: 'z',
  survey: surveyXyz,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

const HEAD = 64 * 1024;

/** Recognises points by lines of numbers; null for other texts of that extension. */
function surveyXyz(file: BoundedFile): Survey | null {
  return pointLines(asPlainText(file.head(HEAD))) === undefined
    ? null
    : { type: 'xyz', certain: true, references: [] };
}
