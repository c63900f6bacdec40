import { mkdirSync, writeFileSync } from 'node:fs';
import type { AnyCommand, Input } from '../packages/cli/src/command.ts';
import { commandEntries } from '../packages/cli/src/commands/index.ts';
import { GLOBAL_OPTIONS, optionFlags } from '../packages/cli/src/option-flags.ts';

const PAGE = new URL('../build/command-reference.md', import.meta.url);
const HEAD = `# Command reference

Every command with its arguments, options and examples, as \`--help\` shows them.`;

/** Returns all commands as a page. A command with two names is described under the first. */
export async function commandReference(): Promise<string> {
  const sections = [
    HEAD,
    '## Global options',
    listOf(GLOBAL_OPTIONS.filter(({ hidden }) => !hidden).map(globalOption)),
  ];
  const described = new Map<AnyCommand, string>();
  const describe = (path: string, level: string, command: AnyCommand): void => {
    const earlier = described.get(command);
    sections.push(`${level} ${path}`);
    if (earlier !== undefined) {
      sections.push(`The same as [\`bindery ${earlier}\`](#${earlier.replaceAll(' ', '-')}).`);
      return;
    }
    described.set(command, path);
    sections.push(...sectionsOf(path, command));
  };
  for (const { name, load } of commandEntries) {
    const definition = await load();
    if (!('commands' in definition)) describe(name, '##', definition);
    else {
      sections.push(`## ${name}`, `${escaped(definition.summary)}.`);
      for (const command of definition.commands) describe(`${name} ${command.name}`, '###', command);
    }
  }
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function sectionsOf(path: string, command: AnyCommand): string[] {
  const inputs = Object.entries(command.inputs as Record<string, Input<unknown>>);
  const [words, options] = [inputs.filter(isArgument), inputs.filter((input) => !isArgument(input))];
  const synopsis = ['bindery', path, ...words.map(argumentWord), ...options.map(optionWord)].join(' ');
  return [
    `${escaped(command.summary)}.`,
    `\`\`\`text\n${wrapped(synopsis)}\n\`\`\``,
    escaped(command.description ?? ''),
    listOf([
      ...words.map((input): Described => [argumentWord(input), input[1].summary]),
      ...options.map(
        ([name, input]): Described => [
          optionFlags(name, input).join(', ') + typedValue(input),
          `${input.summary}${input.fallback === undefined ? '' : ` (default: ${JSON.stringify(input.fallback)})`}`,
        ],
      ),
    ]),
    examplesOf(command),
  ];
}

type Described = [term: string, summary: string];
type NamedInput = [name: string, input: Input<unknown>];

function globalOption({ flags, value, summary }: (typeof GLOBAL_OPTIONS)[number]): Described {
  return [[flags.join(', '), value].filter(Boolean).join(' '), summary];
}

function listOf(items: readonly Described[]): string {
  return items.map(([term, summary]) => `- \`${term}\`: ${escaped(summary)}`).join('\n');
}

function examplesOf({ examples }: AnyCommand): string {
  if (examples.length === 0) return '';
  const lines = (examples as [string, string][]).map(([line, what]) => `# ${what}\n${line}`);
  return `\`\`\`sh\n${lines.join('\n')}\n\`\`\``;
}

function isArgument([, { kind }]: NamedInput): boolean {
  return kind === 'argument' || kind === 'arguments';
}

function argumentWord([, { kind, value, required }]: NamedInput): string {
  const name = value.slice(1, -1) + (kind === 'arguments' ? '...' : '');
  return required ? `<${name}>` : `[${name}]`;
}

function optionWord([name, input]: NamedInput): string {
  const [first = ''] = optionFlags(name, input);
  const typed = first + typedValue(input);
  if (input.required) return typed;
  return input.kind === 'options' || input.kind === 'flagOrItems' ? `[${typed}]...` : `[${typed}]`;
}

function typedValue({ kind, value }: Input<unknown>): string {
  if (value === '') return '';
  return kind === 'flagOrItems' ? `[=${value}]` : ` ${value}`;
}

/** Breaks a synopsis between its words and options, which have spaces within brackets. */
function wrapped(synopsis: string): string {
  const lines: string[] = [];
  for (const word of synopsis.split(/ (?![^[]*\])(?![^<]*>)/)) {
    const line = lines.at(-1);
    if (line === undefined) lines.push(word);
    else if (line.length + word.length < 100) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines.join('\n');
}

/** Escapes what Markdown would read as its own. */
function escaped(text: string): string {
  return text.replaceAll(/[*<[\]]/g, '\\$&');
}

if (import.meta.main) {
  mkdirSync(new URL('.', PAGE), { recursive: true });
  writeFileSync(PAGE, await commandReference());
}
