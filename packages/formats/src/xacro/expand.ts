import { UnreadableFileError } from '../unreadable.ts';
import { type MacroElement, parseDocument } from './document.ts';
import { TextEvaluator } from './evaluator.ts';
import { type MacroFiles, ReadFiles } from './files.ts';
import { type Macro, macroOf, type Parameter } from './macros.ts';
import { type Block, Scope } from './scope.ts';
import { conditionOf, MacroError, textOf, type Value } from './values.ts';

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

/** Elements within elements, and files within files. */
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
  readonly #files: ReadFiles;
  readonly #texts: TextEvaluator;
  readonly #documents = new Map<string, MacroElement>();
  /** The files whose content is being expanded, the current one last. */
  readonly #within: string[] = [];

  constructor(model: string, files: MacroFiles, given: ReadonlyMap<string, string>) {
    this.#model = model;
    this.#files = new ReadFiles(files);
    this.#texts = new TextEvaluator(model, this.#files, given);
  }

  run(): ExpandedModel {
    const scope = new Scope(this.#texts.globals);
    const document = this.#document(this.#model, this.#model, 1);
    const [root] = this.#located(this.#model, document.line, () => [
      this.#plain(document, { scope, file: this.#model, depth: 0 }),
    ]);
    return { root: root as MacroElement, files: this.#files.paths, arguments: this.#texts.arguments };
  }

  #document(path: string, file: string, line: number): MacroElement {
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
    if (element.text !== '')
      content.texts.push(textOf(this.#texts.text(element.text, place.scope, place.file)));
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
    this.#texts.spend(1);
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
        const holds = conditionOf(this.#texts.text(written, place.scope, place.file), written);
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
    const value = textOf(this.#texts.text(written, scope, file));
    if (value === '' && attribute !== 'value') throw new MacroError(`<${name}> has an empty "${attribute}"`);
    return value;
  }

  #plain(element: MacroElement, place: Place): MacroElement {
    const attributes: Record<string, string> = {};
    for (const [name, written] of Object.entries(element.attributes)) {
      if (name === 'xmlns:xacro' || name.startsWith('xacro:')) continue;
      attributes[name] = textOf(this.#texts.text(written, place.scope, place.file));
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
    const reference = textOf(this.#texts.text(attributes.filename ?? '', scope, file));
    const namespace = attributes.ns && textOf(this.#texts.text(attributes.ns, scope, file));
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
      return conditionOf(this.#texts.text(written, scope, file), written);
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
      target.define(name, written, {
        file,
        evaluate: (text, own, from) => this.#texts.text(text, own, from),
      });
    else target.define(name, this.#texts.text(written, scope, file));
  }

  #declareArgument(
    { name = '', default: standard }: Readonly<Record<string, string>>,
    { scope, file }: Place,
  ): void {
    const { arguments: known } = this.#texts;
    if (!known.has(name) && standard !== undefined)
      known.set(name, textOf(this.#texts.text(standard, scope, file)));
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
      inner.define(given, this.#texts.text(written, place.scope, place.file));
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
    return this.#texts.text(standard, scope, file);
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
