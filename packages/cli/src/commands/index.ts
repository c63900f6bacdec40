import type { AnyCommand, CommandGroup } from '../command.ts';

/** A word after `bindery`; its module is loaded when the word is typed. */
export interface Entry {
  name: string;
  summary: string;
  load(): Promise<AnyCommand | CommandGroup>;
}

/** Every command, in the order of the help. */
export const entries: readonly Entry[] = [
  {
    name: 'profile',
    summary: 'Show who is signed in',
    load: async () => (await import('./profile.ts')).profile,
  },
];
