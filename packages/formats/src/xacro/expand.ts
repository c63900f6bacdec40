import { folderOf } from '../paths.ts';
import { UnreadableFileError } from '../unreadable.ts';
import { type MacroElement, parseDocument } from './document.ts';
import { compileExpression } from './expression.ts';
import { BUILT_IN, MATH, namespaceOf } from './functions.ts';
import { type Block, type Macro, type Parameter, Scope } from './scope.ts';
import { conditionOf, literalOf, MacroError, type Names, textOf, type Value } from './values.ts';
import { readYaml } from './yaml.ts';

/** The files of a library, for the macros of one of them. */
export interface MacroFiles {
  /** Returns the file that a reference in another one means; undefined if there is none. */
  resolve(from: string, reference: string): string | undefined;
  read(path: string): Uint8Array;
}

/** A robot as its macros describe it. */
export interface ExpandedModel {
  readonly root: MacroElement;
  /** The files that were read: the model, what it includes, and YAML. */
  readonly files: ReadonlySet<string>;
  /** The arguments that it takes, with the values that were used. */
  readonly arguments: ReadonlyMap<string, string>;
}

/** Why a model cannot be expanded, and where. */
export class ExpansionError extends UnreadableFileError {
  override name = 'ExpansionError';
  readonly file: string;
  readonly line: number;

  constructor(file: string, line: number, reason: string) {
    super(`${file}:${line}: ${reason}`);
    this.file = file;
    this.line = line;
  }
}

/** Elements made and steps of expressions, so that no file keeps a reader busy for long. */
const MAX_STEPS = 300_000;
const MAX_NESTING = 128;

/**
 * Expands a robot written in xacro (github.com/ros/xacro, `README`): includes, macros, properties, conditions, blocks and
 * expressions. `$(find package)` becomes `package://package`. Environment variables are unset.
 *
 * @throws ExpansionError with the file and line
 * @throws UnreadableFileError if a file cannot be read
 */
export function expandXacro(
  model: string,
  files: MacroFiles,
  given: ReadonlyMap<string, string> = new Map(),
): ExpandedModel {
  return new Expansion(model, files, given).run();
}

/** What an element becomes: elements and text in its place, and attributes for the element around it. */
interface Expanded {
  elements: MacroElement[];
  texts: string[];
  attributes: Record<string, string>;
}

/** Where an element is expanded. */
interface Place {
  scope: Scope;
  file: string;
  depth: number;
}

class Expansion {
  readonly #model: string;
  readonly #files: MacroFiles;
  readonly #arguments: Map<string, string>;
  readonly #read = new Set<string>();
  readonly #documents = new Map<string, MacroElement>();
  readonly #expressions = new Map<string, (names: Names) => Value>();
  /** The files whose content is being evaluated, the current one last. */
  readonly #within: string[] = [];
  readonly #globals: Names;
  #steps = 0;

  constructor(model: string, files: MacroFiles, given: ReadonlyMap<string, string>) {
    this.#model = model;
    this.#files = files;
    this.#arguments = new Map(given);
    const spend = (steps: number) => this.#spend(steps);
    const globals = namespaceOf({
      ...MATH,
      ...BUILT_IN,
      ...this.#ownFunctions(),
      xacro: namespaceOf(this.#ownFunctions()),
      math: namespaceOf(MATH),
      python: namespaceOf(BUILT_IN),
    });
    this.#globals = { lookUp: (name) => globals.lookUp(name), spend };
  }

  run(): ExpandedModel {
    const scope = new Scope(this.#globals);
    const document = this.#document(this.#model, this.#model, 1);
    const [root] = this.#located(this.#model, document.line, () => [
      this.#plain(document, { scope, file: this.#model, depth: 0 }),
    ]);
    return { root: root as MacroElement, files: this.#read, arguments: this.#arguments };
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new MacroError('the macros expand to more than can be read');
  }

  #ownFunctions(): Record<string, Value> {
    const nothing = () => '';
    return {
      load_yaml: ([name = '']) => this.#yaml(textOf(name)),
      abs_filename: ([name = '']) => textOf(name),
      dotify: ([value = null]) => value,
      arg: ([name = '']) => this.#argument(textOf(name)),
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
    const from = this.#within.at(-1) ?? this.#model;
    const path = this.#files.resolve(from, referenceIn(reference));
    if (path === undefined) throw new MacroError(`there is no file "${reference}"`);
    this.#read.add(path);
    return readYaml(this.#files.read(path), (text) => compileExpression(text)(this.#globals));
  }

  #document(path: string, file: string, line: number): MacroElement {
    this.#read.add(path);
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    try {
      const document = parseDocument(this.#files.read(path));
      this.#documents.set(path, document);
      return document;
    } catch (error) {
      if (!(error instanceof UnreadableFileError) || path === file) throw error;
      throw new ExpansionError(file, line, `"${path}" cannot be read: ${error.message}`);
    }
  }

  /** Adds to what fails inside where that is. */
  #located<Result>(file: string, line: number, work: () => Result): Result {
    this.#within.push(file);
    try {
      return work();
    } catch (error) {
      if (error instanceof MacroError) throw new ExpansionError(file, line, error.message);
      throw error;
    } finally {
      this.#within.pop();
    }
  }

  /** Expands what is inside an element. */
  #content(element: MacroElement, place: Place): Expanded {
    const content: Expanded = { elements: [], texts: [], attributes: {} };
    if (place.depth > MAX_NESTING) throw new MacroError('macros are nested too deeply');
    if (element.text !== '') content.texts.push(textOf(this.#text(element.text, place.scope, place.file)));
    for (const child of element.children) {
      const { elements, texts, attributes } = this.#located(place.file, child.line, () =>
        this.#element(child, place),
      );
      for (const one of elements) content.elements.push(one);
      content.texts.push(...texts);
      Object.assign(content.attributes, attributes);
    }
    return content;
  }

  #element(element: MacroElement, place: Place): Expanded {
    this.#spend(1);
    const only = (one: MacroElement): Expanded => ({ elements: [one], texts: [], attributes: {} });
    const { name, attributes } = element;
    if (!name.startsWith('xacro:')) return only(this.#plain(element, place));
    const value = (attribute: string) => this.#required(element, attribute, place);
    switch (name.slice('xacro:'.length)) {
      case 'include':
        return this.#include(element, place);
      case 'property':
        this.#property(element, place);
        return NOTHING;
      case 'macro':
        place.scope.setMacro(macroOf(element, place.file));
        return NOTHING;
      case 'arg':
        this.#declareArgument(attributes, place);
        return NOTHING;
      case 'if':
      case 'unless': {
        const written = attributes.value ?? '';
        const holds = conditionOf(this.#text(written, place.scope, place.file), written);
        return holds === name.endsWith('if') ? this.#content(element, deeper(place)) : NOTHING;
      }
      case 'insert_block':
        return this.#insertBlock(value('name'), place);
      case 'attribute':
        return { ...NOTHING, attributes: { [value('name')]: value('value') } };
      case 'element': {
        const { 'xacro:name': _, ...others } = attributes;
        return this.#element({ ...element, name: value('xacro:name'), attributes: others }, place);
      }
      case 'call': {
        const { macro: _, ...others } = attributes;
        return this.#call(value('macro'), { ...element, attributes: others }, place);
      }
      default:
        return this.#call(name.slice('xacro:'.length), element, place);
    }
  }

  #required({ name, attributes }: MacroElement, attribute: string, { scope, file }: Place): string {
    const written = attributes[attribute];
    if (written === undefined) throw new MacroError(`<${name}> has no attribute "${attribute}"`);
    const value = textOf(this.#text(written, scope, file));
    if (value === '' && attribute !== 'value') throw new MacroError(`<${name}> has an empty "${attribute}"`);
    return value;
  }

  #plain(element: MacroElement, place: Place): MacroElement {
    const attributes: Record<string, string> = {};
    for (const [name, written] of Object.entries(element.attributes)) {
      if (name === 'xmlns:xacro' || name.startsWith('xacro:')) continue;
      attributes[name] = textOf(this.#text(written, place.scope, place.file));
    }
    const content = this.#content(element, deeper(place));
    return {
      ...element,
      attributes: { ...attributes, ...content.attributes },
      children: content.elements,
      text: content.texts.join(' ').trim(),
    };
  }

  #include({ attributes, line }: MacroElement, place: Place): Expanded {
    const { file, scope } = place;
    const reference = referenceIn(textOf(this.#text(attributes.filename ?? '', scope, file)));
    const namespace = attributes.ns && textOf(this.#text(attributes.ns, scope, file));
    const inner = namespace ? scope.addNamespace(namespace) : scope;
    const included: Expanded = { elements: [], texts: [], attributes: {} };
    for (const path of this.#includedFiles(reference, attributes, place)) {
      if (this.#within.filter((one) => one === path).length > MAX_NESTING / 8)
        throw new MacroError(`"${path}" includes itself`);
      const document = this.#document(path, file, line);
      const content = this.#located(path, document.line, () =>
        this.#content(document, { scope: inner, file: path, depth: place.depth + 1 }),
      );
      included.elements.push(...content.elements);
      included.texts.push(...content.texts);
    }
    return included;
  }

  #includedFiles(
    reference: string,
    { optional }: Readonly<Record<string, string>>,
    { file }: Place,
  ): readonly string[] {
    if (/[*?[]/.test(reference))
      throw new MacroError(`"${reference}" is a pattern of names, which is not followed`);
    const path = this.#files.resolve(file, reference);
    if (path !== undefined) return [path];
    if (optional === 'true' || optional === 'True' || optional === '1') return [];
    throw new MacroError(`there is no file "${reference}"`);
  }

  #property(element: MacroElement, place: Place): void {
    const { attributes } = element;
    const { scope, file } = place;
    const name = this.#required(element, 'name', place);
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || name.startsWith('__'))
      throw new MacroError(`"${name}" cannot be the name of a property`);
    const flag = (attribute: string, standard: string) => {
      const written = attributes[attribute] ?? standard;
      return conditionOf(this.#text(written, scope, file), written);
    };
    if (flag('remove', 'false')) {
      scope.remove(name);
      return;
    }
    if (attributes.default !== undefined && scope.has(name)) return;
    const written = attributes.value ?? attributes.default;
    const target = targetOf(scope, attributes.scope);
    if (written === undefined) target.setBlock(`**${name}`, { element, file });
    else if (flag('lazy_eval', 'true') && target === scope && attributes.scope === undefined)
      target.define(name, written, { file, evaluate: (text, own, from) => this.#text(text, own, from) });
    else target.define(name, this.#text(written, scope, file));
  }

  #declareArgument(
    { name = '', default: standard = '' }: Readonly<Record<string, string>>,
    place: Place,
  ): void {
    if (!this.#arguments.has(name))
      this.#arguments.set(name, textOf(this.#text(standard, place.scope, place.file)));
  }

  #argument(name: string): string {
    const value = this.#arguments.get(name);
    if (value === undefined) throw new MacroError(`the argument "${name}" has no value`);
    return value;
  }

  #insertBlock(name: string, place: Place): Expanded {
    const many = place.scope.blockOf(`**${name}`);
    const block = many ?? place.scope.blockOf(`*${name}`);
    if (block === undefined) throw new MacroError(`there is no block "${name}"`);
    const inside = { ...deeper(place), file: block.file };
    return many === undefined ? this.#element(block.element, inside) : this.#content(block.element, inside);
  }

  #call(name: string, element: MacroElement, place: Place): Expanded {
    const found = place.scope.macroOf(name);
    if (found === undefined) throw new MacroError(`there is no macro "${name}"`);
    const { macro } = found;
    const inner = found.scope.inner();
    const { attributes } = element;
    for (const [given, written] of Object.entries(attributes)) {
      if (!macro.parameters.some((parameter) => parameter.block === '' && parameter.name === given))
        throw new MacroError(`the macro "${name}" has no parameter "${given}"`);
      inner.define(given, this.#text(written, place.scope, place.file));
    }
    this.#passBlocks(macro, element, inner, place);
    for (const parameter of macro.parameters) {
      if (parameter.block === '' && !Object.hasOwn(attributes, parameter.name))
        inner.define(parameter.name, this.#standard(macro, parameter, place));
    }
    return this.#located(macro.file, macro.body.line, () =>
      this.#content(macro.body, { scope: inner, file: macro.file, depth: place.depth + 1 }),
    );
  }

  /** Evaluates the elements inside a call, and passes them in order. */
  #passBlocks({ name, parameters }: Macro, element: MacroElement, inner: Scope, place: Place): void {
    const blocks = parameters.filter(({ block }) => block !== '');
    const given = this.#content({ ...element, text: '' }, deeper(place)).elements;
    if (given.length < blocks.length)
      throw new MacroError(`the macro "${name}" needs ${blocks.length} elements inside it`);
    if (given.length > blocks.length)
      throw new MacroError(`the macro "${name}" has no use for <${given[blocks.length]?.name}> inside it`);
    for (const [at, parameter] of blocks.entries()) {
      const block: Block = { element: given[at] as MacroElement, file: place.file };
      inner.setBlock(parameter.block + parameter.name, block);
    }
  }

  #standard(
    { name }: Macro,
    { name: parameter, isForwarded, standard }: Parameter,
    { scope, file }: Place,
  ): Value {
    const forwarded = isForwarded ? scope.lookUp(parameter) : undefined;
    if (forwarded !== undefined) return forwarded;
    if (standard === null) throw new MacroError(`the macro "${name}" needs "${parameter}"`);
    return this.#text(standard, scope, file);
  }

  /** Evaluates a text; one that is a single expression keeps the type of its value. */
  #text(text: string, scope: Scope, file: string): Value {
    if (!text.includes('$')) return text;
    const values: Value[] = [];
    for (const [part, escaped, expression, extension] of text.matchAll(PARTS)) {
      if (escaped !== undefined) values.push(escaped);
      else if (expression !== undefined)
        values.push(this.#expression(textOf(this.#text(expression, scope, file)), scope));
      else if (extension !== undefined)
        values.push(this.#extension(textOf(this.#text(extension, scope, file)), file));
      else values.push(part);
    }
    return values.length === 1 ? (values[0] as Value) : values.map(textOf).join('');
  }

  #expression(source: string, scope: Scope): Value {
    this.#spend(1);
    let evaluate = this.#expressions.get(source);
    if (evaluate === undefined) {
      evaluate = withSource(source, () => compileExpression(source));
      this.#expressions.set(source, evaluate);
    }
    const compiled = evaluate;
    return withSource(source, () => compiled(scope));
  }

  /** Evaluates the inside of `$(…)`, as launch files have it. */
  #extension(source: string, file: string): Value {
    const [command = '', ...words] = source.trim().split(/\s+/);
    switch (command) {
      case 'find':
        return `package://${words[0] ?? ''}`;
      case 'arg':
        return this.#argument(words[0] ?? '');
      case 'dirname':
        return `/${folderOf(file).slice(0, -1)}`;
      case 'cwd':
        return `/${folderOf(this.#model).slice(0, -1)}`;
      case 'optenv':
        return words.slice(1).join(' ');
      case 'eval':
        return textOf(this.#expression(source.trim().slice('eval'.length), this.#evalScope()));
      case 'env':
        throw new MacroError(`the environment variable "${words[0] ?? ''}" is not set`);
      default:
        throw new MacroError(`"$(${source})" is not understood`);
    }
  }

  /** In `$(eval …)` names are those of arguments. */
  #evalScope(): Scope {
    const scope = new Scope(this.#globals);
    for (const [name, value] of this.#arguments) scope.define(name, literalOf(value));
    scope.define('true', true);
    scope.define('false', false);
    return scope;
  }
}

const NOTHING: Expanded = { elements: [], texts: [], attributes: {} };

/** An escaped `$`, an expression, an extension, or text without either. */
const PARTS = /\$(\$+[{(])|\$\{([^}]*)\}|\$\(([^)]*)\)|[^$]+|\$/g;

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function withSource<Result>(source: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MacroError)) throw error;
    throw new MacroError(
      error.message.includes(' in ${') ? error.message : `${error.message}, in \${${source.slice(0, 120)}}`,
    );
  }
}

/** A reference that begins with the place of a package, as `file://` and a path would. */
function referenceIn(text: string): string {
  return text.replace(/^file:\/\/(?=package:\/\/)/, '');
}

function targetOf(scope: Scope, wanted: string | undefined): Scope {
  if (wanted === 'global') return scope.top;
  if (wanted !== 'parent') return scope;
  let target = scope.parent;
  while (!scope.isNamespace && target?.isNamespace) target = target.parent;
  return target ?? scope;
}

const PARAMETER =
  /^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?((?:\$\{.*?\}|\$\(.*?\)|'[^']*'|"[^"]*"|[^\s'"])*)(?:\s+|$)/;

function macroOf({ attributes, ...body }: MacroElement, file: string): Macro {
  const name = (attributes.name ?? '').replace(/^xacro:/, '');
  if (name === '' || name === 'call' || name.includes('.'))
    throw new MacroError(`"${name}" cannot be the name of a macro`);
  return { name, body: { ...body, attributes: {} }, parameters: parametersOf(attributes.params ?? ''), file };
}

function parametersOf(written: string): Parameter[] {
  const parameters: Parameter[] = [];
  let rest = written.trim();
  while (rest !== '') {
    const found = PARAMETER.exec(rest);
    const word = found?.[0] ?? /^\S+\s*/.exec(rest)?.[0] ?? rest;
    rest = rest.slice(word.length).trimStart();
    const name = found?.[1] ?? word.trim();
    const block = name.startsWith('**') ? '**' : name.startsWith('*') ? '*' : '';
    parameters.push({
      name: name.slice(block.length),
      block,
      isForwarded: found?.[2] !== undefined,
      standard: found?.[3] ? found[3] : null,
    });
  }
  return parameters;
}
