import type { Format } from '../format.ts';

export const collada = {
  name: 'collada',
  preference: 70,
  family: 'mesh',
  extensions: ['dae'],
  isMetric: true,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
