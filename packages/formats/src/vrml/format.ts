import type { Format } from '../format.ts';

export const vrml = {
  name: 'vrml',
  preference: 100,
  family: 'mesh',
  extensions: ['wrl'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
