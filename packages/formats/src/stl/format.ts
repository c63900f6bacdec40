import type { Format } from '../format.ts';
import { surveyStl } from './survey.ts';

export const stl = {
  name: 'stl',
  preference: 110,
  family: 'mesh',
  extensions: ['stl'],
  mediaTypes: { stl: 'model/stl' },
  spoken: ['stl'],
  up: 'z',
  survey: surveyStl,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
