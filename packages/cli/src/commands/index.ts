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
  {
    name: 'serve',
    summary: 'Run the service',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'admin',
    summary: 'Operate a service on its own machine',
    load: async () => (await import('./admin.ts')).admin,
  },
];
