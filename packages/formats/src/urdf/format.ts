import type { Format } from '../format.ts';
import { surveyUrdf } from './survey.ts';

export const urdf = {
  name: 'urdf',
  preference: 20,
  family: 'robot',
  extensions: ['urdf'],
  mediaTypes: { urdf: 'application/xml' },
  spoken: ['urdf'],
  roots: ['robot'],
  survey: surveyUrdf,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUrdfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
