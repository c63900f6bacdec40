import { argument, type CommandEntry, defineCommand, oneOf } from '../command.ts';
import { readCompletions } from '../completion/completions.ts';
import { completionScript } from '../completion/scripts.ts';

/** The command that prints a completion script for all commands. */
export const completion = (entries: readonly CommandEntry[]) =>
  defineCommand({
    name: 'completion',
    summary: 'Print a completion script for bash, zsh or fish',
    inputs: { shell: argument('<shell>', 'bash, zsh or fish', oneOf('bash', 'zsh', 'fish')) },
    examples: [
      ['bindery completion bash > ~/.local/share/bash-completion/completions/bindery', 'for bash'],
      ['bindery completion zsh > ~/.zfunc/_bindery', 'for zsh, with ~/.zfunc in fpath before compinit'],
      ['bindery completion fish > ~/.config/fish/completions/bindery.fish', 'for fish'],
    ],
    run: async ({ shell }) => ({ shell, script: completionScript(shell, await readCompletions(entries)) }),
    render: ({ script }, output) => output.line(script.trimEnd()),
  });
