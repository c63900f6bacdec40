import { asPlainText } from '../files/text.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { parseOffHeader } from './header.ts';

export const off = {
  name: 'off',
  preference: 130,
  family: 'mesh',
  extensions: ['off'],
  spokenBefore: ['off'],
  survey: surveyOff,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

const HEAD = 64 * 1024;

/** Recognises OFF by its first words. */
function surveyOff(file: BoundedFile): Survey {
  parseOffHeader(asPlainText(file.head(HEAD)));
  return { type: 'off', certain: true, references: [] };
}
