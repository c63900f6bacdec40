import type { Format } from '../format.ts';
import { surveySdf } from './survey.ts';

export const sdf = {
  name: 'sdf',
  preference: 40,
  family: 'robot',
  extensions: ['sdf'],
  ambiguous: ['world'],
  mediaTypes: { sdf: 'application/xml' },
  spokenBefore: ['sdf'],
  roots: ['sdf', 'gazebo'],
  survey: surveySdf,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readSdfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
