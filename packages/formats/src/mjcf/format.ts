import type { Format } from '../format.ts';
import { type BoundedFile, MAX_XML_BYTES } from '../survey.ts';
import { surveyMjcf } from './survey.ts';

export const mjcf = {
  name: 'mjcf',
  preference: 10,
  family: 'robot',
  extensions: [],
  ambiguous: ['mjcf', 'xml'],
  mediaTypes: { mjcf: 'application/xml' },
  spoken: ['mjcf'],
  roots: ['mujoco', 'mujocoinclude'],
  survey: (file: BoundedFile) => surveyMjcf(file.whole(MAX_XML_BYTES)),
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readMjcfMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
