import type { Entry } from './command.ts';
import { readVocabulary } from './completion/vocabulary.ts';

/** What other programs call a command of this one. */
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

/** The commands that have this name, here below another word or in other programs, as they are typed here. */
export async function namesakesOf(name: string, entries: readonly Entry[]): Promise<string[]> {
  const places = await readVocabulary(entries);
  const named = places.filter(({ path }) => path.at(-1) === name).map(({ path }) => path.join(' '));
  const usual = Object.hasOwn(CALLED_ELSEWHERE, name) ? [CALLED_ELSEWHERE[name]] : [];
  return [...usual, ...named].map((command) => `bindery ${command}`);
}
