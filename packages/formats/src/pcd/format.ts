import type { Format } from '../format.ts';

export const pcd = {
  name: 'pcd',
  preference: 140,
  family: 'points',
  extensions: ['pcd'],
  up: 'z',
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
