import type { Format } from '../format.ts';
import { surveyXyz } from './survey.ts';

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
