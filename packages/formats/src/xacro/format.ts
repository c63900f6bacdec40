import type { Format } from '../format.ts';

export const xacro = {
  name: 'xacro',
  preference: 30,
  family: 'robot',
  extensions: ['xacro'],
} as const satisfies Format;
