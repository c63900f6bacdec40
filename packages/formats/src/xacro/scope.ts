import type { MacroElement } from './document.ts';
import type { Macro } from './macros.ts';
import { literalOf, MacroError, type Names, type Value } from './values.ts';

/** Evaluates a text in which `${…}` and `$(…)` occur, as one of the file that it was written in. */
type EvaluateText = (text: string, scope: Scope) => Value;

/** What a property is: a value, a text that is evaluated when it is first needed, or one that is being evaluated. */
type Property = { value: Value } | { text: string; evaluate: EvaluateText } | { isBeingEvaluated: true };

/**
 * The properties, macros and blocks that are defined in a file or during one call of a macro. What is not defined here
 * is looked up in the scope around it.
 */
export class Scope implements Names {
  readonly parent: Scope | null;
  /** Whether its names are written behind the name of a namespace. */
  readonly isNamespace: boolean;
  readonly #globals: Names;
  readonly #properties = new Map<string, Property>();
  readonly #blocks = new Map<string, MacroElement>();
  readonly #macros = new Map<string, Macro>();
  readonly #namespaces = new Map<string, Scope>();

  /** `globals`: what is defined everywhere, functions and constants. */
  constructor(globals: Names, parent: Scope | null = null, isNamespace = false) {
    this.#globals = globals;
    this.parent = parent;
    this.isNamespace = isNamespace;
  }

  inner(): Scope {
    return new Scope(this.#globals, this);
  }

  addNamespace(name: string): Scope {
    const namespace = new Scope(this.#globals, this, true);
    this.#namespaces.set(name, namespace);
    return namespace;
  }

  get top(): Scope {
    return this.parent === null ? this : this.parent.top;
  }

  spend(steps: number): void {
    this.#globals.spend(steps);
  }

  has(name: string): boolean {
    return this.#properties.has(name) || (this.parent?.has(name) ?? false);
  }

  /** Defines a property. A text that is no literal is evaluated when it is first needed, here. */
  define(name: string, value: Value, evaluate?: EvaluateText): void {
    const literal = typeof value === 'string' ? literalOf(value) : value;
    const isText = typeof literal === 'string' && evaluate !== undefined;
    this.#properties.set(name, isText ? { text: literal, evaluate } : { value: literal });
  }

  remove(name: string): void {
    this.#properties.delete(name);
    this.parent?.remove(name);
  }

  lookUp(name: string): Value | undefined {
    const property = this.#properties.get(name);
    if (property !== undefined) return this.#valueOf(name, property);
    return this.#namespaces.get(name) ?? (this.parent ?? this.#globals).lookUp(name);
  }

  #valueOf(name: string, property: Property): Value {
    if ('value' in property) return property.value;
    if ('isBeingEvaluated' in property) throw new MacroError(`the property "${name}" is defined by itself`);
    this.#properties.set(name, { isBeingEvaluated: true });
    const found = property.evaluate(property.text, this);
    const value = typeof found === 'string' ? literalOf(found) : found;
    this.#properties.set(name, { value });
    return value;
  }

  setBlock(name: string, block: MacroElement): void {
    this.#blocks.set(name, block);
  }

  blockOf(name: string): MacroElement | undefined {
    return this.#blocks.get(name) ?? this.parent?.blockOf(name);
  }

  setMacro(macro: Macro): void {
    this.#macros.set(macro.name, macro);
  }

  /** Finds a macro, whose name can begin with namespaces, and the scope in which it is to be called. */
  macroOf(name: string): { macro: Macro; scope: Scope } | undefined {
    const macro = this.#macroNamed(name);
    if (macro !== undefined) return { macro, scope: this };
    const [first = '', ...rest] = name.split('.');
    return rest.length === 0 ? undefined : this.#namespaceNamed(first)?.macroOf(rest.join('.'));
  }

  #macroNamed(name: string): Macro | undefined {
    const own = this.#macros.get(name);
    // A namespace sees the properties around it, but has only its own macros.
    if (own !== undefined || this.isNamespace || this.parent === null) return own;
    return this.parent.#macroNamed(name);
  }

  #namespaceNamed(name: string): Scope | undefined {
    const own = this.#namespaces.get(name);
    return own === undefined && this.parent !== null ? this.parent.#namespaceNamed(name) : own;
  }
}
