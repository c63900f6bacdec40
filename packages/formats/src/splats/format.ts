import type { Format } from '../format.ts';
import { surveySplats } from './survey.ts';

export const splats = {
  name: 'splat',
  preference: 190,
  family: 'splat',
  extensions: ['sog', 'splat', 'ksplat', 'spz'],
  spoken: ['spz'],
  survey: surveySplats,
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
