import type { Format } from '../format.ts';
import { surveyOff } from './survey.ts';

export const off = {
  name: 'off',
  preference: 130,
  family: 'mesh',
  extensions: ['off'],
  spokenBefore: ['off'],
  survey: surveyOff,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
