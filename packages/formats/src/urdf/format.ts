import type { Format } from '../format.ts';

export const urdf = {
  name: 'urdf',
  preference: 20,
  family: 'robot',
  extensions: ['urdf'],
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUrdfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
