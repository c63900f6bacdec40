import type { FileIndex } from '../files/file-index.ts';
import { UnreadableFileError } from '../files/unreadable.ts';
import { memoised } from '../memoised.ts';
import { type MacroElement, parseDocument } from './document.ts';
import { TextEvaluator } from './evaluator.ts';
import {
  alternativesTo,
  isPattern,
  type MacroFiles,
  MissingFile,
  ReadFiles,
  type ReadReference,
} from './files.ts';
import { type Macro, macroOf, type Parameter } from './macros.ts';
import { Scope } from './scope.ts';
import { conditionOf, MacroError, NotGiven, textOf, type Value } from './values.ts';

/** A robot as its macros describe it. */
export interface ExpandedModel {
  readonly root: MacroElement;
  /** The files that were read: the model, what it includes, and YAML. */
  readonly files: ReadonlySet<string>;
  /** What the references to these files mean. */
  readonly references: readonly ReadReference[];
  /** The arguments that it takes, with the values that were used. */
  readonly arguments: ReadonlyMap<string, string>;
  /** The values that an argument can have, of those whose default names files that are not there. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** What is left out, if packages may be absent. */
  readonly gaps: readonly ExpansionGap[];
}

/** Something that macros include or call, and that is in a package which the library does not have. */
export interface ExpansionGap {
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** The file, as it was written after evaluation; absent for a macro, which may have been in any. */
  readonly reference?: string;
}

/** Why a model cannot be expanded, and where. */
export class ExpansionError extends UnreadableFileError {
  override name = 'ExpansionError';
  readonly file: string;
  readonly line: number;
  readonly reason: string;
  /** Whether only what surrounds the model, a launch file or another package, can help. */
  readonly isNotGiven: boolean;

  constructor({ file, line }: MacroElement, cause: MacroError) {
    super(`${file}:${line}: ${cause.message}`, { cause });
    this.file = file;
    this.line = line;
    this.reason = cause.message;
    this.isNotGiven = cause instanceof NotGiven;
  }
}

/** What looking for a file that is included is worth in elements. */
const STEPS_PER_FILE = 100;
const MAX_REFERENCE = 1_024;
/** Elements within elements, and files within files. */
const MAX_NESTING = 128;
/** How often an argument is changed because its value names no file, and among how many it is chosen. */
const MAX_CHOICES = 4;
const MAX_CANDIDATES = 32;

/**
 * Expands a robot written in xacro (github.com/ros/xacro, `README`): includes, macros, properties, conditions, blocks and
 * expressions. `$(find package)` becomes `package://package`. Environment variables are unset. An argument whose default
 * names files that are not there, as models for many robots have, gets the first value for which they are; one called
 * `name` that has no value yet is the name of the file.
 * If `packages` may be `absent`, what is included from those that the library does not have, and calls of macros that may
 * be defined there, are left out: a robot without the sensors that other packages describe.
 *
 * @throws ExpansionError with the file and line
 * @throws UnreadableFileError if the model itself cannot be read
 */
export function expandXacro(
  model: string,
  files: MacroFiles,
  given: ReadonlyMap<string, string> = new Map(),
  packages: 'present' | 'absent' = 'present',
): ExpandedModel {
  const choices = new Map<string, readonly string[]>();
  for (let used = given; ; ) {
    const expansion = new Expansion(model, files, used, packages);
    try {
      return { ...expansion.run(), choices };
    } catch (error) {
      if (error instanceof RangeError) throw new UnreadableFileError('its macros are nested too deeply');
      const missing =
        error instanceof ExpansionError && error.cause instanceof MissingFile ? error.cause : null;
      const choice = missing && choiceFor(missing.reference, expansion.arguments, given, files.index);
      if (!choice || choices.size >= MAX_CHOICES || choices.has(choice.name)) throw error;
      choices.set(choice.name, choice.values);
      used = new Map([...used, [choice.name, choice.values[0] as string]]);
    }
  }
}

/** Finds the argument whose value makes a reference name no file, and the values with which it would. */
function choiceFor(
  reference: string,
  used: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
  index: FileIndex,
): { name: string; values: string[] } | null {
  const candidates = [...used].filter(
    ([name, value]) => !given.has(name) && value !== '' && reference.includes(value),
  );
  for (const [name, value] of candidates.slice(0, MAX_CANDIDATES)) {
    const values = alternativesTo(value, reference, index);
    if (values.length > 0) return { name, values };
  }
  return null;
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
  depth: number;
}

class Expansion {
  readonly #model: string;
  readonly #files: ReadFiles;
  readonly #texts: TextEvaluator;
  readonly #index: FileIndex;
  readonly #packages: 'present' | 'absent';
  readonly #gaps: ExpansionGap[] = [];

  constructor(
    model: string,
    files: MacroFiles,
    given: ReadonlyMap<string, string>,
    packages: 'present' | 'absent',
  ) {
    this.#model = model;
    this.#index = files.index;
    this.#packages = packages;
    this.#files = new ReadFiles(files);
    this.#texts = new TextEvaluator(model, this.#files, given);
  }

  get arguments(): ReadonlyMap<string, string> {
    return this.#texts.arguments;
  }

  run(): Omit<ExpandedModel, 'choices'> {
    const scope = new Scope(this.#texts.globals);
    const document = this.#document(this.#model);
    const root = this.#located(document, () => this.#plain(document, { scope, depth: 0 }));
    const { paths: files, references } = this.#files;
    return { root, files, references, arguments: this.arguments, gaps: this.#gaps };
  }

  readonly #document = memoised((path: string): MacroElement => {
    const document = parseDocument(this.#files.read(path), path);
    for (const { name, attributes } of document.children) {
      if (name === 'xacro:arg' && attributes.default !== undefined)
        this.#texts.defined.add(attributes.name ?? '');
    }
    return document;
  });

  /** Adds to what fails inside an element where that is. */
  #located<Result>(element: MacroElement, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof MacroError) throw new ExpansionError(element, error);
      throw error;
    }
  }

  /** Expands what is inside an element. */
  #content(element: MacroElement, place: Place): Expanded {
    const content: Expanded = { elements: [], texts: [], attributes: {} };
    if (place.depth > MAX_NESTING) throw new MacroError('macros are nested too deeply');
    if (element.text !== '') content.texts.push(textOf(this.#value(element, element.text, place)));
    for (const child of element.children) {
      const { elements, texts, attributes } = this.#located(child, () => this.#element(child, place));
      for (const one of elements) content.elements.push(one);
      for (const one of texts) content.texts.push(one);
      Object.assign(content.attributes, attributes);
    }
    return content;
  }

  #element(element: MacroElement, place: Place): Expanded {
    this.#texts.spend(Math.max(1, Object.keys(element.attributes).length));
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
        place.scope.setMacro(macroOf(element));
        return NOTHING;
      case 'arg':
        this.#declareArgument(element, place);
        return NOTHING;
      case 'if':
      case 'unless': {
        const written = attributes.value ?? '';
        const holds = conditionOf(this.#value(element, written, place), written);
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

  /** Evaluates a text of an element. */
  #value({ file }: MacroElement, text: string, { scope }: Place): Value {
    return this.#texts.text(text, scope, file);
  }

  #required(element: MacroElement, attribute: string, place: Place): string {
    const { name, attributes } = element;
    const written = attributes[attribute];
    if (written === undefined) throw new MacroError(`<${name}> has no attribute "${attribute}"`);
    const value = textOf(this.#value(element, written, place));
    if (value === '' && attribute !== 'value') throw new MacroError(`<${name}> has an empty "${attribute}"`);
    return value;
  }

  #plain(element: MacroElement, place: Place): MacroElement {
    const attributes: Record<string, string> = {};
    for (const [name, written] of Object.entries(element.attributes)) {
      if (name === 'xmlns:xacro' || name.startsWith('xacro:')) continue;
      attributes[name] = textOf(this.#value(element, written, place));
    }
    const content = this.#content(element, deeper(place));
    return {
      ...element,
      attributes: { ...attributes, ...content.attributes },
      children: content.elements,
      text: content.texts.join(' ').trim(),
    };
  }

  #include(element: MacroElement, place: Place): Expanded {
    const { attributes } = element;
    const paths = this.#includedFiles(element, this.#required(element, 'filename', place));
    const namespace = textOf(this.#value(element, attributes.ns ?? '', place));
    const scope = namespace === '' ? place.scope : place.scope.addNamespace(namespace);
    const included = paths.map((path) => {
      const document = this.#document(path);
      return this.#located(document, () => this.#content(document, { scope, depth: place.depth + 1 }));
    });
    return {
      elements: included.flatMap(({ elements }) => elements),
      texts: included.flatMap(({ texts }) => texts),
      attributes: {},
    };
  }

  /** Returns no file for one that is not there and need not be. A pattern means all files that match, in order. */
  #includedFiles(element: MacroElement, reference: string): readonly string[] {
    const { file, attributes } = element;
    const { optional = 'false' } = attributes;
    this.#texts.spend(STEPS_PER_FILE + (isPattern(reference) ? this.#index.paths.size : 0));
    if (reference.length > MAX_REFERENCE) throw new MacroError('the name of a file is too long');
    if (isPattern(reference)) return this.#files.matching(file, reference);
    const path = this.#files.resolve(file, reference);
    if (path !== undefined) return [path];
    if (conditionOf(optional, optional)) return [];
    const missing = new MissingFile(reference);
    if (this.#packages === 'present' || !this.#isInAbsentPackage(reference)) throw missing;
    this.#gaps.push({ file, line: element.line, reason: missing.message, reference });
    return [];
  }

  /** Whether a file is in a package that the library does not have, whatever the arguments are. */
  #isInAbsentPackage(reference: string): boolean {
    const name = /^(?:file:\/\/)?package:\/\/([^/]+)/i.exec(reference)?.[1];
    if (name === undefined || this.#index.packageFolders(name).length > 0) return false;
    return choiceFor(reference, this.arguments, new Map(), this.#index) === null;
  }

  #property(element: MacroElement, place: Place): void {
    const { attributes } = element;
    const { scope } = place;
    const name = this.#required(element, 'name', place);
    if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name) || name.startsWith('__'))
      throw new MacroError(`"${name}" cannot be the name of a property`);
    const flag = (attribute: string, standard: string) => {
      const written = attributes[attribute] ?? standard;
      return conditionOf(this.#value(element, written, place), written);
    };
    if (flag('remove', 'false')) {
      scope.remove(name);
      return;
    }
    if (attributes.default !== undefined && scope.has(name)) return;
    const written = attributes.value ?? attributes.default;
    const target = targetOf(scope, attributes.scope);
    if (written === undefined) target.setBlock(`**${name}`, element);
    else if (target === scope && attributes.scope === undefined && flag('lazy_eval', 'true'))
      target.define(name, written, (text, own) => this.#texts.text(text, own, element.file));
    else target.define(name, this.#value(element, written, place));
  }

  #declareArgument(element: MacroElement, place: Place): void {
    const { name = '', default: standard } = element.attributes;
    const { arguments: known } = this.#texts;
    if (!known.has(name) && standard !== undefined)
      known.set(name, textOf(this.#value(element, standard, place)));
  }

  #insertBlock(name: string, place: Place): Expanded {
    const many = place.scope.blockOf(`**${name}`);
    const block = many ?? place.scope.blockOf(`*${name}`);
    if (block === undefined) throw new MacroError(`there is no block "${name}"`);
    return many === undefined ? this.#element(block, deeper(place)) : this.#content(block, deeper(place));
  }

  #call(name: string, element: MacroElement, place: Place): Expanded {
    const found = place.scope.macroOf(name);
    if (found === undefined) {
      const reason = `there is no macro "${name}"`;
      if (this.#gaps.length === 0) throw new MacroError(reason);
      this.#gaps.push({ file: element.file, line: element.line, reason });
      return NOTHING;
    }
    const { macro } = found;
    const inner = found.scope.inner();
    const { attributes } = element;
    for (const [given, written] of Object.entries(attributes)) {
      if (!macro.parameters.some((parameter) => parameter.block === '' && parameter.name === given))
        throw new MacroError(`the macro "${name}" has no parameter "${given}"`);
      inner.define(given, this.#value(element, written, place));
    }
    this.#passBlocks(macro, element, inner, place);
    for (const parameter of macro.parameters) {
      if (parameter.block === '' && !Object.hasOwn(attributes, parameter.name))
        inner.define(parameter.name, this.#standard(macro, parameter, element, place));
    }
    return this.#located(macro.body, () =>
      this.#content(macro.body, { scope: inner, depth: place.depth + 1 }),
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
      inner.setBlock(parameter.block + parameter.name, given[at] as MacroElement);
    }
  }

  #standard(
    { name }: Macro,
    { name: parameter, isForwarded, standard }: Parameter,
    call: MacroElement,
    place: Place,
  ): Value {
    const forwarded = isForwarded ? place.scope.lookUp(parameter) : undefined;
    if (forwarded !== undefined) return forwarded;
    if (standard === null) throw new MacroError(`the macro "${name}" needs "${parameter}"`);
    return this.#value(call, standard, place);
  }
}

const NOTHING: Expanded = { elements: [], texts: [], attributes: {} };

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

function targetOf(scope: Scope, wanted: string | undefined): Scope {
  if (wanted === 'global') return scope.top;
  if (wanted !== 'parent') return scope;
  let target = scope.parent;
  while (!scope.isNamespace && target?.isNamespace) target = target.parent;
  return target ?? scope;
}
