import type { Format } from '../format.ts';

export const obj = {
  name: 'obj',
  preference: 60,
  family: 'mesh',
  extensions: ['obj'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
