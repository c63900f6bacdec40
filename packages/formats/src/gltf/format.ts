import type { Format } from '../format.ts';
import { surveyGltf } from './survey.ts';

export const gltf = {
  name: 'gltf',
  preference: 50,
  family: 'mesh',
  extensions: ['glb', 'gltf', 'vrm'],
  mediaTypes: { glb: 'model/gltf-binary', gltf: 'model/gltf+json' },
  spoken: ['gltf', 'glb'],
  isMetric: true,
  survey: surveyGltf,
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
