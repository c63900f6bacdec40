import type { Format } from '../format.ts';
import { surveyPly } from './survey.ts';

export const ply = {
  name: 'ply',
  preference: 120,
  family: 'mesh',
  extensions: ['ply'],
  spoken: ['ply'],
  survey: surveyPly,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
