import type { CommandEntry } from './command.ts';
import { readCompletions } from './completion/completions.ts';

/** Commands of this program, by the names that other programs have for them. */
export const COMMAND_SYNONYMS: Readonly<Record<string, string>> = {
  clone: 'library pull',
  download: 'library pull',
  fetch: 'library pull',
  get: 'library pull',
  install: 'sync',
  publish: 'library push',
  remove: 'library rm',
  status: 'library stat',
  upload: 'library push',
  whoami: 'profile',
};

/** Returns the commands with this name, under another word or in other programs, as they are typed here. */
export async function suggestCommands(name: string, entries: readonly CommandEntry[]): Promise<string[]> {
  const places = await readCompletions(entries);
  const named = places.filter(({ path }) => path.at(-1) === name).map(({ path }) => path.join(' '));
  const usual = Object.hasOwn(COMMAND_SYNONYMS, name) ? [COMMAND_SYNONYMS[name]] : [];
  return [...usual, ...named].map((command) => `bindery ${command}`);
}
