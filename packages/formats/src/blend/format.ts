import type { Format } from '../format.ts';

export const blend = {
  name: 'blend',
  preference: 180,
  family: 'mesh',
  extensions: ['blend'],
  isSource: true,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
