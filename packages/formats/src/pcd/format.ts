import { asPlainText } from '../files/text.ts';
import type { Format } from '../format.ts';
import type { BoundedFile, Survey } from '../survey.ts';
import { MAX_PCD_HEADER_BYTES, parsePcdHeader } from './header.ts';

export const pcd = {
  name: 'pcd',
  preference: 140,
  family: 'points',
  extensions: ['pcd'],
  up: 'z',
  survey: surveyPcd,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;

/** Recognises a cloud of points by its header. */
function surveyPcd(file: BoundedFile): Survey {
  parsePcdHeader(asPlainText(file.head(MAX_PCD_HEADER_BYTES)));
  return { type: 'pcd', certain: true, references: [] };
}
