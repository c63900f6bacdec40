import type { Format } from '../format.ts';

export const step = {
  name: 'step',
  preference: 170,
  family: 'mesh',
  extensions: ['step', 'stp'],
  spokenBefore: ['step'],
  up: 'z',
  isMetric: true,
  isSource: true,
  magics: ['ISO-10303-21;'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
