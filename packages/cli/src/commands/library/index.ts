import type { AnyCommand, CommandGroup } from '../../command.ts';

/** Each command by its name, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  list: async () => (await import('./list.ts')).list,
  search: async () => (await import('./search.ts')).search,
  info: async () => (await import('./info.ts')).info,
  ls: async () => (await import('./ls.ts')).ls,
  url: async () => (await import('./url.ts')).url,
  credits: async () => (await import('./credits.ts')).credits,
  stat: async () => (await import('./stat.ts')).stat,
  pull: async () => (await import('./pull.ts')).pull,
  export: async () => (await import('./export.ts')).exportCommand,
  release: async () => (await import('./release.ts')).release,
  releases: async () => (await import('./release.ts')).releases,
  signers: async () => (await import('./signers.ts')).signersCommand,
  unrelease: async () => (await import('./release.ts')).unrelease,
  log: async () => (await import('./log.ts')).log,
  diff: async () => (await import('./diff.ts')).diff,
  init: async () => (await import('./init.ts')).init,
  check: async () => (await import('./check.ts')).check,
  push: async () => (await import('./push.ts')).push,
  watch: async () => (await import('./watch.ts')).watchCommand,
  import: async () => (await import('./import.ts')).importCommand,
  add: async () => (await import('./add.ts')).add,
  rm: async () => (await import('./rm.ts')).rm,
  share: async () => (await import('./access.ts')).share,
  visibility: async () => (await import('./access.ts')).visibility,
  delete: async () => (await import('./lifecycle.ts')).remove,
  restore: async () => (await import('./lifecycle.ts')).restore,
  purge: async () => (await import('./lifecycle.ts')).purge,
};

/** Loads the group with only the command of this name; if there is none, with all, for help and suggestions. */
export async function loadLibrary(name: string | undefined): Promise<CommandGroup> {
  const one = name !== undefined && Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const loads = one === undefined ? Object.values(COMMANDS) : [one];
  return {
    name: 'library',
    summary: 'Publish, find, verify and pull libraries',
    commands: await Promise.all(loads.map((load) => load())),
  };
}
