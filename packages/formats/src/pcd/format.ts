import type { Format } from '../format.ts';
import { surveyPcd } from './survey.ts';

export const pcd = {
  name: 'pcd',
  preference: 140,
  family: 'points',
  extensions: ['pcd'],
  up: 'z',
  survey: surveyPcd,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
