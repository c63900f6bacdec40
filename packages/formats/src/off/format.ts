import type { Format } from '../format.ts';

export const off = {
  name: 'off',
  preference: 130,
  family: 'mesh',
  extensions: ['off'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
