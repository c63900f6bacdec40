import type { CommandCompletions, OptionWord } from './completions.ts';

export function fishScript(places: readonly CommandCompletions[]): string {
  const lines = places.flatMap(({ path, words, options }) => {
    const names = words.map(({ text }) => text);
    const here = condition(path, names);
    return [
      ...words.map(
        ({ text, summary }) => `complete -c bindery -n '${here}' -f -a '${text}' -d '${quote(summary)}'`,
      ),
      ...options.map((option) => optionLine(option, condition(path, []))),
    ];
  });
  return `# fish completion for bindery\n${lines.join('\n')}\n`;
}

/** Returns a condition that is true after the words of the path, and before any of those that can follow. */
function condition(path: readonly string[], following: readonly string[]): string {
  const seen = path.map((word) => `__fish_seen_subcommand_from ${word}`);
  const none = following.length > 0 ? [`not __fish_seen_subcommand_from ${following.join(' ')}`] : [];
  return [...seen, ...none].join('; and ') || 'true';
}

function optionLine({ text, summary, values }: OptionWord, here: string): string {
  const name = text.startsWith('--') ? `-l '${text.slice(2)}'` : `-s '${text.slice(1)}'`;
  return `complete -c bindery -n '${here}' ${name}${valuePart(values)} -d '${quote(summary)}'`;
}

function valuePart(values: OptionWord['values']): string {
  if (values === null) return '';
  return values.length > 0 ? ` -x -a '${values.join(' ')}'` : ' -r';
}

/** Makes text safe to put between single quotes. */
function quote(text: string): string {
  return text.replaceAll("'", '’');
}
