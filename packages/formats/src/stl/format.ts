import type { Format } from '../format.ts';

export const stl = {
  name: 'stl',
  preference: 110,
  family: 'mesh',
  extensions: ['stl'],
  up: 'z',
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
