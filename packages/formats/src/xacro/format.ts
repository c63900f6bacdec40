import type { Format } from '../format.ts';
import { surveyXacro } from './survey.ts';

export const xacro = {
  name: 'xacro',
  preference: 30,
  family: 'robot',
  extensions: ['xacro'],
  mediaTypes: { xacro: 'application/xml' },
  spoken: ['xacro'],
  survey: surveyXacro,
} as const satisfies Format;
