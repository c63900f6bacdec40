import type { BoundedFile, Survey } from '../survey.ts';
import { parseOffHeader } from './header.ts';

const HEAD = 64 * 1024;

/** Recognises OFF by its first words. */
export function surveyOff(file: BoundedFile): Survey {
  parseOffHeader(file.head(HEAD));
  return { type: 'off', certain: true, references: [] };
}
