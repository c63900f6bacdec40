import type { Format } from '../format.ts';

export const mjcf = {
  name: 'mjcf',
  preference: 10,
  family: 'robot',
  extensions: [],
  ambiguous: ['mjcf', 'xml'],
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readMjcfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
