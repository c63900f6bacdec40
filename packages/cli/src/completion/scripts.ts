import { bashScript } from './bash.ts';
import type { CommandCompletions } from './completions.ts';
import { fishScript } from './fish.ts';
import { zshScript } from './zsh.ts';

/** Returns the completion script of a shell. It contains every word itself, so that completing starts no program. */
export function completionScript(
  shell: 'bash' | 'zsh' | 'fish',
  places: readonly CommandCompletions[],
): string {
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
  }
}
