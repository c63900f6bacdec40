import type { Entry } from './command.ts';
import { readVocabulary } from './completion/vocabulary.ts';

/** Commands of this program, by the names that other programs have for them. */
export const CALLED_ELSEWHERE: Readonly<Record<string, string>> = {
  clone: 'library pull',
  download: 'library pull',
  fetch: 'library pull',
  get: 'library pull',
  install: 'sync',
  ls: 'library list',
  publish: 'library push',
  remove: 'library rm',
  status: 'library stat',
  upload: 'library push',
  whoami: 'profile',
};

/** Returns the commands with this name, under another word or in other programs, as they are typed here. */
export async function namesakesOf(name: string, entries: readonly Entry[]): Promise<string[]> {
  const places = await readVocabulary(entries);
  const named = places.filter(({ path }) => path.at(-1) === name).map(({ path }) => path.join(' '));
  const usual = Object.hasOwn(CALLED_ELSEWHERE, name) ? [CALLED_ELSEWHERE[name]] : [];
  return [...usual, ...named].map((command) => `bindery ${command}`);
}
