import { Command as Commander, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type AnyCommand, type CommandGroup, type Input, UsageProblem } from './command.ts';
import { type Entry, entries } from './commands/index.ts';
import type { GlobalOptions } from './context.ts';

/** What the command line asks for. */
export interface Invocation {
  command: AnyCommand;
  inputs: Record<string, unknown>;
  global: GlobalOptions;
}

export interface ProgramOptions {
  version: string;
  /** Called with the command that was typed, once its words are understood. */
  invoke(invocation: Invocation): Promise<void>;
  writeOut(text: string): void;
  writeErr(text: string): void;
}

/**
 * The program with the commands below `words[0]` loaded, and the others known by name and summary. Words that
 * cannot be understood end in a `CommanderError`.
 */
export async function buildProgram(words: readonly string[], options: ProgramOptions): Promise<Commander> {
  const program = new Commander('bindery');
  program
    .description('Publish, find, verify and pull libraries of 3D and robotics assets.')
    .version(options.version, '-V, --version', 'print the version')
    .configureOutput({
      writeOut: options.writeOut,
      writeErr: options.writeErr,
      outputError: (text, write) => write(text),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .enablePositionalOptions(false);
  addGlobalOptions(program);
  const wanted = firstOperand(words);
  for (const entry of entries) {
    program.addCommand(entry.name === wanted ? await loaded(entry, options) : announced(entry));
  }
  return program;
}

function announced(entry: Entry): Commander {
  return new Commander(entry.name).description(entry.summary);
}

async function loaded(entry: Entry, options: ProgramOptions): Promise<Commander> {
  const definition = await entry.load();
  return 'commands' in definition ? buildGroup(definition, options) : buildCommand(definition, options);
}

function buildGroup(group: CommandGroup, options: ProgramOptions): Commander {
  const built = inherit(new Commander(group.name), options).description(group.summary);
  addGlobalOptions(built);
  for (const command of group.commands) built.addCommand(buildCommand(command, options));
  return built;
}

function buildCommand(command: AnyCommand, options: ProgramOptions): Commander {
  const built = inherit(new Commander(command.name), options).summary(command.summary);
  built.description(
    command.description ? `${command.summary}.\n\n${command.description}` : `${command.summary}.`,
  );
  const named: string[] = [];
  const all = Object.entries(command.inputs as Record<string, Input<unknown>>);
  for (const [name, input] of all) {
    if (input.kind === 'argument' || input.kind === 'arguments') {
      named.push(name);
      built.addArgument(built.createArgument(argumentSyntax(input), input.summary).argParser(parser(input)));
    } else {
      built.addOption(buildOption(name, input));
    }
  }
  addGlobalOptions(built);
  if (command.examples.length > 0) built.addHelpText('after', examplesOf(command));
  built.action(async (...given: unknown[]) => {
    const self = given.at(-1) as Commander;
    const typed = self.optsWithGlobals();
    const inputs: Record<string, unknown> = {};
    for (const [name, input] of all) {
      const position = named.indexOf(name);
      inputs[name] = position >= 0 ? given[position] : (typed[name] ?? emptyValue(input));
    }
    await options.invoke({ command, inputs, global: readGlobalOptions(typed) });
  });
  return built;
}

function inherit(command: Commander, { writeOut, writeErr }: ProgramOptions): Commander {
  return command
    .configureOutput({ writeOut, writeErr, outputError: (text, write) => write(text) })
    .exitOverride()
    .showSuggestionAfterError()
    .helpOption('-h, --help', 'show this help');
}

function argumentSyntax({ kind, value, required }: Input<unknown>): string {
  const name = value.slice(1, -1) + (kind === 'arguments' ? '...' : '');
  return required ? `<${name}>` : `[${name}]`;
}

function buildOption(name: string, input: Input<unknown>): Option {
  const long = `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const flags = [input.short, long].filter(Boolean).join(', ');
  const built = new Option(input.value ? `${flags} ${input.value}` : flags, input.summary);
  if (input.kind !== 'flag') built.argParser(parser(input));
  if (input.kind === 'option' && input.required) built.makeOptionMandatory();
  if (input.fallback !== undefined) built.default(input.fallback);
  return built;
}

/** The parser as commander calls it: repeated values are gathered, and problems name the rule. */
function parser(input: Input<unknown>): (text: string, before: unknown) => unknown {
  return (text, before) => {
    try {
      const value = input.parse(text);
      const repeated = input.kind === 'options' || input.kind === 'arguments';
      if (!repeated) return value;
      return Array.isArray(before) ? [...before, value] : [value];
    } catch (error) {
      if (error instanceof UsageProblem) throw new InvalidArgumentError(`It must be ${error.message}.`);
      throw error;
    }
  };
}

function emptyValue(input: Input<unknown>): unknown {
  if (input.kind === 'flag') return false;
  return input.kind === 'options' ? [] : undefined;
}

function addGlobalOptions(command: Commander): void {
  command
    .optionsGroup('Options of every command:')
    .option('--json', 'print machine-readable JSON')
    .option('-q, --quiet', 'print no progress and no remarks')
    .option('--no-color', 'print without colours')
    .option('--api-url <url>', 'server to talk to (also BINDERY_API_URL)')
    .addOption(new Option('--dash-url <url>', 'the same as --api-url').hideHelp())
    .option('--auth-url <url>', 'authorization server, where it is another one');
}

function readGlobalOptions(typed: Record<string, unknown>): GlobalOptions {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    json: typed.json === true,
    quiet: typed.quiet === true,
    color: typed.color === false ? false : null,
    apiUrl: text(typed.apiUrl) ?? text(typed.dashUrl),
    authUrl: text(typed.authUrl),
  };
}

function examplesOf({ examples }: AnyCommand): string {
  const lines = (examples as [string, string][]).map(([line, what]) => `  ${line}\n      ${what}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** The first word that is no option; values of global options are stepped over. */
export function firstOperand(words: readonly string[]): string | undefined {
  const takesValue = new Set(['--api-url', '--dash-url', '--auth-url']);
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (takesValue.has(word)) at++;
    else if (!word.startsWith('-')) return word;
  }
  return undefined;
}

export { CommanderError };
