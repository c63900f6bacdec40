import type { Format } from '../format.ts';
import { surveyFbx } from './survey.ts';

export const fbx = {
  name: 'fbx',
  preference: 80,
  family: 'mesh',
  extensions: ['fbx'],
  spoken: ['fbx'],
  isMetric: true,
  survey: surveyFbx,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
