import type { Format } from '../format.ts';
import { surveyCollada } from './survey.ts';

export const collada = {
  name: 'collada',
  preference: 70,
  family: 'mesh',
  extensions: ['dae'],
  mediaTypes: { dae: 'model/vnd.collada+xml' },
  spoken: ['collada', 'dae'],
  isMetric: true,
  survey: surveyCollada,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
