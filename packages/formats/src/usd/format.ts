import type { Format } from '../format.ts';
import { surveyUsd } from './survey.ts';

export const usd = {
  name: 'usd',
  preference: 160,
  family: 'mesh',
  extensions: ['usdz', 'usdc', 'usda', 'usd'],
  mediaTypes: { usda: 'text/plain; charset=utf-8', usdz: 'model/vnd.usdz+zip' },
  spoken: ['usd', 'usda', 'usdc', 'usdz'],
  isMetric: true,
  survey: surveyUsd,
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUsdMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
