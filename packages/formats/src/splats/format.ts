import type { Format } from '../format.ts';

export const splats = {
  name: 'splat',
  preference: 190,
  family: 'splat',
  extensions: ['sog', 'splat', 'ksplat', 'spz'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
