import type { AnyCommand, CommandEntry, Input } from '../command.ts';
import { isMissingPackage } from '../commands/optional-package.ts';
import { GLOBAL_OPTIONS, optionFlags } from '../option-flags.ts';

/** A word that can be typed at a place of the command line. */
export interface Word {
  text: string;
  summary: string;
}

/** What can follow the words of `path`: `[]` is `bindery` itself, `['library', 'pull']` one command. */
export interface CommandCompletions {
  path: string[];
  words: Word[];
  options: OptionWord[];
}

export interface OptionWord extends Word {
  /** Null: takes no value; empty: any value, such as a file. */
  values: readonly string[] | null;
}

/** Returns every place of the program with its words and options, read from the commands themselves. */
export async function readCompletions(entries: readonly CommandEntry[]): Promise<CommandCompletions[]> {
  const places: CommandCompletions[] = [
    { path: [], words: entries.map(({ name, summary }) => ({ text: name, summary })), options: GLOBAL_WORDS },
  ];
  for (const entry of entries) {
    const definition = await entry.load().catch((error: unknown) => {
      if (isMissingPackage(error)) return null;
      throw error;
    });
    if (definition === null) continue;
    if (!('commands' in definition)) {
      places.push(completionsOf([entry.name], definition));
      continue;
    }
    const words = definition.commands.map(({ name, summary }) => ({ text: name, summary }));
    places.push({ path: [entry.name], words, options: GLOBAL_WORDS });
    for (const command of definition.commands)
      places.push(completionsOf([entry.name, command.name], command));
  }
  return places;
}

const GLOBAL_WORDS: OptionWord[] = GLOBAL_OPTIONS.flatMap(({ flags, value, summary }) =>
  flags.map((text) => ({ text, summary, values: value === null ? null : [] })),
);

function completionsOf(path: string[], command: AnyCommand): CommandCompletions {
  const inputs = Object.entries(command.inputs as Record<string, Input<unknown>>);
  const own = inputs.flatMap(([name, input]) =>
    input.kind === 'argument' || input.kind === 'arguments' ? [] : optionWords(name, input),
  );
  const words = inputs.flatMap(([, { kind, parse }]) =>
    kind === 'argument' ? (parse.choices ?? []).map((text) => ({ text, summary: '' })) : [],
  );
  return { path, words, options: [...own, ...GLOBAL_WORDS] };
}

function optionWords(name: string, input: Input<unknown>): OptionWord[] {
  const values = input.kind === 'flag' ? null : (input.parse.choices ?? []);
  return optionFlags(name, input).map((text) => ({ text, summary: input.summary, values }));
}
