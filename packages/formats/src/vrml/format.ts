import type { Format } from '../format.ts';
import { surveyVrml } from './survey.ts';

export const vrml = {
  name: 'vrml',
  preference: 100,
  family: 'mesh',
  extensions: ['wrl'],
  survey: surveyVrml,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
