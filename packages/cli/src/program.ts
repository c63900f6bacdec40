import { Command as Commander, type CommanderError, Option } from 'commander';
import {
  type AnyCommand,
  type CommandEntry,
  type CommandGroup,
  type Input,
  UsageProblem,
} from './command.ts';
import { commandEntries } from './commands/index.ts';
import { GLOBAL_OPTIONS, optionFlags } from './option-flags.ts';
import { usageError } from './output/command-error.ts';
import { EXIT, type ExitCode } from './output/exit-codes.ts';
import { sanitizeLine } from './output/text.ts';
import type { GlobalOptions } from './settings.ts';

/** The command that was typed, with its inputs. */
export interface Invocation {
  command: AnyCommand;
  inputs: Record<string, unknown>;
  global: GlobalOptions;
}

export interface ProgramOptions {
  version: string;
  /** Called with the command that was typed, once it has been parsed. */
  invoke(invocation: Invocation): Promise<void>;
  writeOut(text: string): void;
  writeErr(text: string): void;
}

/** Help or the version was printed instead of running a command. */
export class HelpShown extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('help');
    this.exitCode = exitCode;
  }
}

/**
 * Builds the program with the commands under the first word loaded, and the others known by name and summary. Parsing
 * throws `CommandError` for words that are not understood, and `HelpShown` if help was requested.
 */
export async function buildProgram(words: readonly string[], options: ProgramOptions): Promise<Commander> {
  const [wanted, next] = operands(words);
  const isKnown = commandEntries.some(({ name }) => name === wanted);
  const program = configureCommand(
    new Commander('bindery'),
    options,
    isKnown ? [] : await loadSuggestions(wanted),
  )
    .description('Publish, find, verify and pull libraries of 3D and robotics assets.')
    .version(options.version, '-V, --version', 'print the version')
    .addHelpText('after', '\nRun "bindery <command> --help" for the options and examples of a command.');
  addGlobalOptions(program);
  for (const entry of commandEntries) {
    program.addCommand(entry.name === wanted ? await loadCommand(entry, next, options) : commandStub(entry));
  }
  return program;
}

function commandStub(entry: CommandEntry): Commander {
  return new Commander(entry.name).description(entry.summary);
}

async function loadCommand(
  entry: CommandEntry,
  next: string | undefined,
  options: ProgramOptions,
): Promise<Commander> {
  const definition = await entry.load(next);
  if (!('commands' in definition)) return buildCommand(definition, options);
  const isKnown = definition.commands.some(
    ({ name, aliases = [] }) => next !== undefined && [name, ...aliases].includes(next),
  );
  return buildGroup(definition, options, isKnown ? [] : await loadSuggestions(next));
}

/** Returns the commands that an unknown name may have meant. */
async function loadSuggestions(name: string | undefined): Promise<string[]> {
  if (name === undefined) return [];
  return (await import('./command-suggestions.ts')).suggestCommands(name, commandEntries);
}

function buildGroup(group: CommandGroup, options: ProgramOptions, elsewhere: string[]): Commander {
  const built = configureCommand(new Commander(group.name), options, elsewhere).description(
    `${group.summary}.`,
  );
  addGlobalOptions(built);
  for (const command of group.commands) built.addCommand(buildCommand(command, options));
  return built;
}

function buildCommand(command: AnyCommand, options: ProgramOptions): Commander {
  const built = configureCommand(new Commander(command.name), options)
    .summary(command.summary)
    .aliases(command.aliases ?? []);
  built.description(
    command.description ? `${command.summary}.\n\n${command.description}` : `${command.summary}.`,
  );
  const readers = Object.entries(command.inputs as Record<string, Input<unknown>>).map(([name, input]) => ({
    name,
    read: addInput(built, name, input),
  }));
  addGlobalOptions(built);
  if (command.examples.length > 0) built.addHelpText('after', examplesOf(command));
  built.action(async () => {
    refuseMissingOptions(built, command);
    const inputs = Object.fromEntries(readers.map(({ name, read }) => [name, read()]));
    await options.invoke({ command, inputs, global: readGlobalOptions(built) });
  });
  return built;
}

/** Commander would refuse a missing option before an unknown one, which is often the same one mistyped. */
function refuseMissingOptions(built: Commander, { inputs }: AnyCommand): void {
  for (const [name, input] of Object.entries(inputs as Record<string, Input<unknown>>)) {
    const { kind, required, value } = input;
    if (!required || kind === 'argument' || kind === 'arguments' || built.opts()[name] !== undefined)
      continue;
    const flags = `${optionFlags(name, input).join(', ')} ${value}`;
    throw usageError(`Required option '${flags}' not specified.`, howToUse(pathOf(built)));
  }
}

/** Declares an argument or option, and returns a function that reads its value after parsing. */
function addInput(command: Commander, name: string, input: Input<unknown>): () => unknown {
  if (input.kind === 'argument' || input.kind === 'arguments') {
    const position = command.registeredArguments.length;
    const syntax = argumentSyntax(input);
    const parse = parser(syntax, input, command);
    command.addArgument(command.createArgument(syntax, input.summary).argParser(parse));
    return () => command.processedArgs[position];
  }
  const option = buildOption(name, input, command);
  command.addOption(option);
  if (input.kind === 'flagOrItems') takeItemsAfterEqualsSign(command, option);
  const key = option.attributeName();
  if (option.negate) return () => command.opts()[key] === false;
  return () => typedValue(input, command.opts()[key]);
}

/** Commander would take the next word for the value of an option that can be typed without one. */
function takeItemsAfterEqualsSign(command: Commander, { long }: Option): void {
  const parse = command.parseOptions;
  command.parseOptions = (words) => {
    const end = words.indexOf('--');
    return parse.call(
      command,
      words.map((word, at) => (word === long && (end < 0 || at < end) ? `${word}=` : word)),
    );
  };
}

/**
 * Sets what every level of the program has: its output, errors and help. `elsewhere` are commands at other levels that
 * may have been meant.
 */
function configureCommand(
  command: Commander,
  { writeOut, writeErr }: ProgramOptions,
  elsewhere: readonly string[] = [],
): Commander {
  return command
    .configureOutput({ writeOut, writeErr, outputError: () => {} })
    .exitOverride((error) => {
      throw toUsageError(error, pathOf(command), elsewhere);
    })
    .helpCommand(false)
    .configureHelp({ subcommandTerm: termOf });
}

/** Maximum number of commands of one name that are suggested. */
const MAX_SUGGESTIONS = 3;

/** Converts commander's errors to the program's own form. Help that was not requested means that a word is missing. */
function toUsageError(error: CommanderError, path: string, elsewhere: readonly string[]): Error {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') {
    return new HelpShown(EXIT.done);
  }
  if (error.code === 'commander.help') return new HelpShown(EXIT.usage);
  const [first = '', similar] = error.message.replace(/^error: /, '').split('\n');
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  const meant = error.code === 'commander.unknownCommand' ? elsewhere.slice(0, MAX_SUGGESTIONS) : [];
  const message = [
    /[.?]$/.test(sentence) ? sentence : `${sentence}.`,
    meant.length > 0 ? didYouMean(meant) : similar?.replace(/^\((.*)\)$/, '$1'),
  ];
  return usageError(message.filter(Boolean).join(' '), howToUse(meant.length === 1 ? meant.join() : path));
}

function didYouMean(commands: readonly string[]): string {
  const quoted = commands.map((command) => `"${command}"`);
  return `Did you mean ${new Intl.ListFormat('en', { type: 'disjunction' }).format(quoted)}?`;
}

function howToUse(path: string): string {
  return `"${path} --help" shows how to use it.`;
}

/** Returns a command and its arguments, for a list of commands. */
function termOf(command: Commander): string {
  const names = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [command.name(), ...names].join(' ');
}

function pathOf(command: Commander): string {
  return command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

function argumentSyntax({ kind, value, required }: Input<unknown>): string {
  const name = value.slice(1, -1) + (kind === 'arguments' ? '...' : '');
  return required ? `<${name}>` : `[${name}]`;
}

function buildOption(name: string, input: Input<unknown>, command: Commander): Option {
  const all = optionFlags(name, input);
  const flags = all.join(', ');
  const value = input.kind === 'flagOrItems' ? '[item]' : input.value;
  const built = new Option(value ? `${flags} ${value}` : flags, input.summary);
  if (input.kind === 'flagOrItems') built.flags = `${flags}[=${input.value}]`;
  if (input.kind !== 'flag') built.argParser(parser(all.at(-1) ?? '', input, command));
  if (input.preset !== undefined) built.preset(input.preset);
  if (input.fallback !== undefined) built.default(input.fallback);
  return built;
}

/** Returns a parser for commander: repeated values are collected, a second one of a single value is refused. */
function parser(label: string, input: Pick<Input<unknown>, 'kind' | 'parse'>, command: Commander) {
  let given = false;
  return (text: string, before: unknown): unknown => {
    const repeated = input.kind === 'options' || input.kind === 'arguments' || input.kind === 'flagOrItems';
    if (given && !repeated)
      throw usageError(`${label} takes one value, but is given twice.`, howToUse(pathOf(command)));
    given = true;
    try {
      const value = input.parse(text);
      if (!repeated) return value;
      return Array.isArray(before) ? [...before, value] : [value];
    } catch (error) {
      if (!(error instanceof UsageProblem)) throw error;
      const value = error.isSecret ? '' : ` "${sanitizeLine(text)}"`;
      throw usageError(`Invalid ${nounOf(label)}${value}: ${error.message}.`, howToUse(pathOf(command)));
    }
  };
}

/** What a value is called in a message: an option by its flag, an argument by what it names. */
function nounOf(label: string): string {
  if (/^<ns\/name/.test(label)) return 'library';
  return label.replace(/^<(?:ns\/)?(.*)>$/, '$1');
}

function typedValue({ kind }: Input<unknown>, typed: unknown): unknown {
  if (kind === 'flagOrItems' && Array.isArray(typed)) return typed.includes('') || typed;
  return typed ?? (kind === 'options' ? [] : kind === 'flag' || kind === 'flagOrItems' ? false : undefined);
}

function addGlobalOptions(command: Commander): void {
  const group = 'Global options:';
  command.addHelpOption(new Option('-h, --help', 'show this help').helpGroup(group)).optionsGroup(group);
  for (const { flags, value, summary, hidden } of GLOBAL_OPTIONS) {
    const option = new Option(value ? `${flags.join(', ')} ${value}` : flags.join(', '), summary);
    if (value)
      option.argParser(parser(flags.at(-1) ?? '', { kind: 'option', parse: (text) => text }, command));
    command.addOption(hidden ? option.hideHelp() : option);
  }
}

/** Global options can be typed before and after each word. */
function readGlobalOptions(command: Commander): GlobalOptions {
  const levels: Record<string, unknown>[] = [];
  for (let level: Commander | null = command; level; level = level.parent) levels.push(level.opts());
  const typed = (...names: string[]) =>
    levels.flatMap((level) => names.map((name) => level[name])).filter((value) => value !== undefined);
  const one = (...names: string[]): string | undefined => {
    const [value, ...more] = typed(...names);
    if (more.length > 0) {
      const labels = names.map((name) => optionFlags(name, {}).at(-1)).join(' or ');
      throw usageError(`${labels} takes one value, but is given twice.`, howToUse(pathOf(command)));
    }
    return typeof value === 'string' ? value : undefined;
  };
  return {
    json: typed('json').includes(true),
    quiet: typed('quiet').includes(true),
    color: levels.some(({ color }) => color === false) ? false : null,
    apiUrl: one('apiUrl', 'dashUrl'),
    authUrl: one('authUrl'),
  };
}

function examplesOf({ examples }: AnyCommand): string {
  const lines = (examples as [string, string][]).map(([line, what]) => `  ${line}\n      ${what}`);
  return `\nExamples:\n${lines.join('\n')}`;
}

/** Returns the words that are not options; values of global options are skipped. */
export function operands(words: readonly string[]): string[] {
  const takesValue = new Set(GLOBAL_OPTIONS.flatMap(({ flags, value }) => (value ? flags : [])));
  return words.filter((word, at) => !word.startsWith('-') && !takesValue.has(words[at - 1] ?? ''));
}
