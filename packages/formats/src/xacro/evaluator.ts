import { baseName, folderOf } from '../files/paths.ts';
import { memoised } from '../memoised.ts';
import { compileExpression } from './expression.ts';
import { MissingFile, type ReadFiles } from './files.ts';
import { BUILT_IN, MATH, namespaceOf } from './functions.ts';
import { Scope } from './scope.ts';
import {
  boundedLength,
  charge,
  literalOf,
  MacroError,
  type Names,
  NotGiven,
  textOf,
  type Value,
} from './values.ts';
import { readYaml } from './yaml.ts';

/** Elements made and steps of expressions, so that no file keeps a reader busy for long. */
const MAX_STEPS = 300_000;
/** The length of what is read or written that is worth one step. */
const CHARACTERS_PER_STEP = 64;

/** Evaluates the texts of a model and its macros: expressions, arguments, and what launch files have. */
export class TextEvaluator {
  /** What is defined everywhere. */
  readonly globals: Names;
  /** The arguments of the model, with their values. */
  readonly arguments: Map<string, string>;
  /** The arguments that the files read so far give a value, wherever they do. */
  readonly defined = new Set<string>();
  readonly #model: string;
  readonly #files: ReadFiles;
  /** The file that the text being evaluated is in. */
  #file: string;
  #steps = 0;

  constructor(model: string, files: ReadFiles, given: ReadonlyMap<string, string>) {
    this.#model = model;
    this.#file = model;
    this.#files = files;
    this.arguments = new Map(given);
    const own = this.#ownFunctions();
    const named = { xacro: namespaceOf(own), math: namespaceOf(MATH), python: namespaceOf(BUILT_IN) };
    const all = namespaceOf({ ...MATH, ...BUILT_IN, ...own, ...named });
    this.globals = { lookUp: (name) => all.lookUp(name), spend: (steps) => this.spend(steps) };
  }

  /** Counts work. Throws `MacroError` if it is more than any model needs. */
  spend(steps: number): void {
    this.#files.spend(steps);
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new MacroError('the macros expand to more than can be read');
  }

  /** Evaluates a text; one that is a single expression keeps the type of its value. */
  text(text: string, scope: Scope, file: string): Value {
    this.spend(Math.floor(text.length / CHARACTERS_PER_STEP));
    if (!text.includes('$')) return text;
    const values: Value[] = [];
    for (const [part, escaped, expression, extension] of text.matchAll(PARTS)) {
      if (escaped !== undefined) values.push(escaped);
      else if (expression !== undefined)
        values.push(this.#expression(textOf(this.text(expression, scope, file)), scope, file));
      else if (extension !== undefined)
        values.push(this.#extension(textOf(this.text(extension, scope, file)), file));
      else values.push(part);
    }
    if (values.length === 1) return values[0] as Value;
    let whole = '';
    for (const value of values) {
      charge(this.globals, value);
      whole = boundedLength(whole + textOf(value));
    }
    return whole;
  }

  argument(name: string): string {
    const value = this.arguments.get(name);
    // Launch files name the robot; by itself it is named like its file.
    if (value === undefined && name === 'name') return baseName(this.#model).replace(/\.[\s\S]*$/, '');
    if (value === undefined && this.defined.has(name))
      throw new MacroError(`the argument "${name}" is used before it is defined`);
    if (value === undefined) throw new NotGiven(`the argument "${name}" has no value`);
    return value;
  }

  #ownFunctions(): Record<string, Value> {
    const nothing = () => '';
    return {
      load_yaml: ([name = '']) => this.#yaml(textOf(name)),
      abs_filename: ([name = '']) => textOf(name),
      dotify: ([value = null]) => value,
      arg: ([name = '']) => this.argument(textOf(name)),
      tokenize: ([text = '', separators = ',; ']) =>
        textOf(text)
          .split(new RegExp(`[${textOf(separators).replace(/[\\\]^-]/g, '\\$&')}]`))
          .filter((one) => one !== ''),
      fatal: (values) => {
        throw new MacroError(values.map(textOf).join(' '));
      },
      ...{ message: nothing, warning: nothing, error: nothing, print_location: nothing },
    };
  }

  #yaml(reference: string): Value {
    const path = this.#files.resolve(this.#file, reference);
    if (path === undefined) throw new MissingFile(reference);
    return this.#document(path)();
  }

  /** What YAML contains, by its path. */
  readonly #document = memoised((path: string) =>
    readYaml(this.#files.read(path), (text) => compileExpression(text)(this.globals)),
  );

  #expression(source: string, scope: Scope, file: string): Value {
    this.spend(1);
    const outer = this.#file;
    this.#file = file;
    try {
      return withSource(source, () => this.#compiled(source)(scope));
    } finally {
      this.#file = outer;
    }
  }

  readonly #compiled = memoised(compileExpression);

  /** Evaluates the inside of `$(…)`, as launch files have it. */
  #extension(source: string, file: string): Value {
    const [command = '', ...words] = source.trim().split(/\s+/);
    switch (command) {
      case 'find':
        return `package://${words[0] ?? ''}`;
      case 'arg':
        return this.argument(words[0] ?? '');
      case 'dirname':
        return `/${folderOf(file).slice(0, -1)}`;
      case 'cwd':
        return `/${folderOf(this.#model).slice(0, -1)}`;
      case 'optenv':
        return words.slice(1).join(' ');
      case 'eval':
        return textOf(this.#expression(source.trim().slice('eval'.length), this.#evalScope(), file));
      case 'env':
        throw new NotGiven(`the environment variable "${words[0] ?? ''}" is not set`);
      default:
        throw new MacroError(`"$(${source})" is not understood`);
    }
  }

  /** In `$(eval …)` names are those of arguments. */
  #evalScope(): Scope {
    const scope = new Scope(this.globals);
    for (const [name, value] of this.arguments) scope.define(name, literalOf(value));
    scope.define('true', true);
    scope.define('false', false);
    return scope;
  }
}

/** An escaped `$`, an expression, an extension, or text without either; what does not end is text up to the end. */
const PARTS = /\$(\$+[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)|[^$]+|\$[{(][\s\S]*|\$+/g;

function withSource<Result>(source: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof NotGiven || !(error instanceof MacroError) || error.message.includes(', in ${'))
      throw error;
    throw new MacroError(`${error.message}, in \${${source.slice(0, 120)}}`);
  }
}
