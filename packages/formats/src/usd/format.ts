import type { Format } from '../format.ts';
import { surveyUsd } from './survey.ts';

export const usd = {
  name: 'usd',
  preference: 160,
  family: 'mesh',
  extensions: ['usdz', 'usdc', 'usda', 'usd'],
  isMetric: true,
  survey: surveyUsd,
  loadReader: async () => (await import('./read.ts')).reader,
  loadMechanismReader: async () => (await import('./mechanism.ts')).readUsdMechanism,
  loadWriter: async () => (await import('./write.ts')).writer,
} as const satisfies Format;
