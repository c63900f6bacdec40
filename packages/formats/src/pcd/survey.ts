import type { BoundedFile, Survey } from '../survey.ts';
import { MAX_PCD_HEADER_BYTES, parsePcdHeader } from './header.ts';

/** Recognises a cloud of points by its header. */
export function surveyPcd(file: BoundedFile): Survey {
  parsePcdHeader(file.head(MAX_PCD_HEADER_BYTES));
  return { type: 'pcd', certain: true, references: [] };
}
