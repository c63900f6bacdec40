import type { Format } from '../format.ts';
import { surveyObj } from './survey.ts';

export const obj = {
  name: 'obj',
  preference: 60,
  family: 'mesh',
  extensions: ['obj'],
  mediaTypes: { obj: 'model/obj' },
  spoken: ['obj'],
  survey: surveyObj,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
