import type { Format } from '../format.ts';

export const ply = {
  name: 'ply',
  preference: 120,
  family: 'mesh',
  extensions: ['ply'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
