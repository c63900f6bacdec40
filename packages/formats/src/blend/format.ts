import type { Format } from '../format.ts';

export const blend = {
  name: 'blend',
  preference: 180,
  family: 'mesh',
  extensions: ['blend'],
  isSource: true,
  magics: ['BLENDER', '\x28\xb5\x2f\xfd', '\x1f\x8b'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
