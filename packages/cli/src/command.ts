import type { Context } from './context.ts';
import type { ExitCode } from './output/exit-codes.ts';
import type { Output } from './output/output.ts';

/** Turns the text of an argument or option into its value; throws a `UsageProblem` that names the rule. */
export interface Parse<T> {
  (text: string): T;
  /** The only valid values, if they are few; completion offers them. */
  choices?: readonly string[];
}

/** An invalid value; the message completes `Invalid --limit "x": …` without a full stop. */
export class UsageProblem extends Error {
  /** Whether the value may hold a password, so that messages must not repeat it. */
  readonly isSecret: boolean;

  constructor(message: string, { isSecret = false } = {}) {
    super(message);
    this.isSecret = isSecret;
  }
}

/** One argument or option. The type says what the handler receives. */
export interface Input<T> {
  kind: 'argument' | 'arguments' | 'flag' | 'flagOrItems' | 'option' | 'options';
  /** How the value is named in the help, for example `<ns/name>`; empty for a flag. */
  value: string;
  summary: string;
  required: boolean;
  short?: string;
  parse: Parse<unknown>;
  fallback?: T;
  /** The value of an option that is typed without one. Options without a preset require a value. */
  preset?: string;
}

export type Inputs = Record<string, Input<unknown>>;
export type ValuesOf<I extends Inputs> = { [K in keyof I]: I[K] extends Input<infer T> ? T : never };

/**
 * One command: names, help and a handler that returns data. Its inputs are keyed in camelCase: `dryRun` is typed
 * `--dry-run`; arguments come in the order in which they are listed.
 */
export interface Command<I extends Inputs = Inputs, Result = unknown> {
  name: string;
  /** Other names for it; help and completion leave them out. */
  aliases?: readonly string[];
  summary: string;
  /** Further paragraphs of the help. */
  description?: string;
  inputs: I;
  /** Whether running the same command again resumes an interrupted one. */
  resumes?: boolean;
  /** Command lines with what each does. */
  examples: readonly (readonly [string, string])[];
  run(inputs: ValuesOf<I>, context: Context): Promise<Result>;
  /** Prints the result for people. */
  render(result: Result, output: Output): void;
  /** What `--json` prints: a value, or bytes as received from the server. By default the result. */
  json?(result: Result): unknown;
  /** The exit code of a result; by default 0. */
  exitCode?(result: Result): ExitCode;
}

/** Commands under one word, like those of `library`. */
export interface CommandGroup {
  name: string;
  summary: string;
  commands: readonly AnyCommand[];
}

/** A command of any type; its own definition has checked the types. */
// biome-ignore lint/suspicious/noExplicitAny: inputs and result meet again inside the definition that made them
export type AnyCommand = Command<any, any>;

export function defineCommand<I extends Inputs, Result>(command: Command<I, Result>): Command<I, Result> {
  return command;
}

interface InputOptions {
  short?: string;
}

const asTyped: Parse<string> = (text) => text;

export function argument(value: string, summary: string): Input<string>;
export function argument<T>(value: string, summary: string, parse: Parse<T>): Input<T>;
export function argument(value: string, summary: string, parse: Parse<unknown> = asTyped): Input<unknown> {
  return { kind: 'argument', value, summary, required: true, parse };
}

export function optionalArgument(value: string, summary: string): Input<string | undefined>;
export function optionalArgument<T>(value: string, summary: string, parse: Parse<T>): Input<T | undefined>;
export function optionalArgument(
  value: string,
  summary: string,
  parse: Parse<unknown> = asTyped,
): Input<unknown> {
  return { kind: 'argument', value, summary, required: false, parse };
}

/** One or more values at the end of the line. */
export function restArguments(value: string, summary: string): Input<string[]>;
export function restArguments<T>(value: string, summary: string, parse: Parse<T>): Input<T[]>;
export function restArguments(
  value: string,
  summary: string,
  parse: Parse<unknown> = asTyped,
): Input<unknown> {
  return { kind: 'arguments', value, summary, required: true, parse };
}

export function flag(summary: string, { short }: InputOptions = {}): Input<boolean> {
  return { kind: 'flag', value: '', summary, required: false, parse: asTyped, ...(short ? { short } : {}) };
}

/**
 * A flag that can also be typed for single items, each after `=` so that no argument is taken for one: `--force` is
 * true, `--force=a --force=b` is `['a', 'b']`.
 */
export function flagOrItems(value: string, summary: string): Input<boolean | string[]> {
  return { kind: 'flagOrItems', value, summary, required: false, parse: asTyped };
}

export function option(value: string, summary: string): Input<string | undefined>;
export function option<T>(
  value: string,
  summary: string,
  parse: Parse<T>,
  options?: InputOptions,
): Input<T | undefined>;
export function option(
  value: string,
  summary: string,
  parse: Parse<unknown> = asTyped,
  options: InputOptions = {},
): Input<unknown> {
  return { kind: 'option', value, summary, required: false, parse, ...options };
}

/** An option that can be typed without a value, which is then `preset`. `value` is in square brackets. */
export function optionWithPreset<T>(
  value: `[${string}]`,
  summary: string,
  preset: string,
  parse: Parse<T>,
): Input<T | undefined> {
  return { kind: 'option', value, summary, required: false, parse, preset };
}

/** An option that always has a value: the typed one or the default. */
export function optionWithDefault<T>(value: string, summary: string, fallback: T, parse: Parse<T>): Input<T> {
  return { kind: 'option', value, summary, required: false, parse, fallback };
}

export function requiredOption<T>(value: string, summary: string, parse: Parse<T>): Input<T> {
  return { kind: 'option', value, summary, required: true, parse };
}

/** An option that can be repeated. */
export function repeatedOption<T>(value: string, summary: string, parse: Parse<T>): Input<T[]> {
  return { kind: 'options', value, summary, required: false, parse };
}

export function text(value: string): string {
  if (value === '') throw new UsageProblem('it must not be empty');
  return value;
}

export function integer(range: { min: number; max?: number }): Parse<number> {
  const { min, max = Number.MAX_SAFE_INTEGER } = range;
  return (value) => {
    const number = Number(value);
    if (!/^-?\d{1,16}$/.test(value) || number < min || number > max) {
      throw new UsageProblem(
        range.max === undefined
          ? `expected an integer of at least ${min}`
          : `expected an integer from ${min} to ${max}`,
      );
    }
    return number;
  };
}

export function oneOf<const T extends string>(...choices: T[]): Parse<T> {
  const parse = (value: string): T => {
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    const list = new Intl.ListFormat('en', { type: 'disjunction' });
    throw new UsageProblem(`choose ${list.format(choices)}`);
  };
  return Object.assign(parse, { choices });
}

/** A word after `bindery`. Its module is loaded when it is typed; `next` is the word after it, if any. */
export interface CommandEntry {
  name: string;
  summary: string;
  load(next?: string): Promise<AnyCommand | CommandGroup>;
}
