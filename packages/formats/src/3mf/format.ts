import type { Format } from '../format.ts';

export const threeMf = {
  name: '3mf',
  preference: 90,
  family: 'mesh',
  extensions: ['3mf'],
  spoken: ['3mf'],
  up: 'z',
  front: '-y',
  isMetric: true,
  magics: ['PK\u0003\u0004', 'PK\u0005\u0006'],
  loadReader: async () => (await import('./read.ts')).reader,
} as const satisfies Format;
