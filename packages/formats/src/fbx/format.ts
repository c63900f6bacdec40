import type { Format } from '../format.ts';

export const fbx = {
  name: 'fbx',
  preference: 80,
  family: 'mesh',
  extensions: ['fbx'],
  isMetric: true,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
