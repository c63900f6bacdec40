import { COMPARISONS, elementAt, negative, OPERATORS } from './arithmetic.ts';
import { memberOf } from './functions.ts';
import {
  asIndex,
  asInteger,
  type Callable,
  charge,
  elementsOf,
  isTrue,
  MacroError,
  type Names,
  typeOf,
  type Value,
  wholeOf,
} from './values.ts';

/** An expression that can be evaluated with what names stand for. */
type Evaluate = (names: Names) => Value;

const TOKEN =
  /\s*(?:(\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([rRuU]?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))|([\p{L}_][\p{L}\p{N}_]*)|(\*\*|\/\/|<<|>>|<=|>=|==|!=|[-+*/%<>()[\]{},.:|&^~=]))/uy;

interface Token {
  kind: 'number' | 'text' | 'name' | 'operator' | 'end';
  text: string;
}

const MAX_DEPTH = 100;
const MAX_TOKENS = 20_000;

/**
 * Compiles an expression of Python, of the part of the language that macros are written in: literals, names, operators,
 * conditions, calls, elements, slices and comprehensions. Nothing that it calls is code of the file's author.
 *
 * @throws MacroError
 */
export function compileExpression(source: string): Evaluate {
  return new Parser(tokensOf(source)).whole();
}

function tokensOf(source: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  const { length } = source.trimEnd();
  while (TOKEN.lastIndex < length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(source);
    if (found === null || tokens.length > MAX_TOKENS)
      throw new MacroError(`the expression is not understood at "${source.slice(at, at + 20).trim()}"`);
    const [, number, text, name, operator] = found;
    if (number !== undefined) tokens.push({ kind: 'number', text: number });
    else if (text !== undefined) tokens.push({ kind: 'text', text });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'operator', text: operator as string });
  }
  return [...tokens, { kind: 'end', text: '' }];
}

/** From the loosest to the tightest. */
const BINARY: readonly (readonly string[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '//', '%'],
];
const RESERVED: ReadonlySet<string> = new Set([
  'if',
  'else',
  'for',
  'in',
  'is',
  'and',
  'or',
  'not',
  'lambda',
]);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Evaluate {
    const value = this.#sequence('');
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return value;
  }

  get #next(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #unexpected(): MacroError {
    const { kind, text } = this.#next;
    return new MacroError(kind === 'end' ? 'the expression is incomplete' : `"${text}" is not expected here`);
  }

  /** Steps over one of these operators or words, and returns it. */
  #take(...texts: readonly string[]): string | undefined {
    const { kind, text } = this.#next;
    if ((kind !== 'operator' && kind !== 'name') || !texts.includes(text)) return undefined;
    this.#at++;
    return text;
  }

  #expect(text: string): void {
    if (this.#take(text) === undefined) throw this.#unexpected();
  }

  /** One value, or several separated by commas, which are a list. */
  #sequence(end: string): Evaluate {
    const first = this.#value();
    if (this.#next.text !== ',') return first;
    const values = [first];
    while (this.#take(',') !== undefined && this.#next.text !== end) values.push(this.#value());
    return listOf(values);
  }

  #value(): Evaluate {
    if (++this.#depth > MAX_DEPTH) throw new MacroError('the expression is nested too deeply');
    const then = this.#either();
    this.#depth--;
    if (this.#take('if') === undefined) return then;
    const condition = this.#either();
    this.#expect('else');
    const otherwise = this.#value();
    return (names) => (isTrue(condition(names)) ? then(names) : otherwise(names));
  }

  #either(): Evaluate {
    let left = this.#both();
    while (this.#take('or') !== undefined) {
      const [one, other] = [left, this.#both()];
      left = (names) => {
        const value = one(names);
        return isTrue(value) ? value : other(names);
      };
    }
    return left;
  }

  #both(): Evaluate {
    let left = this.#negated();
    while (this.#take('and') !== undefined) {
      const [one, other] = [left, this.#negated()];
      left = (names) => {
        const value = one(names);
        return isTrue(value) ? other(names) : value;
      };
    }
    return left;
  }

  #negated(): Evaluate {
    if (this.#take('not') === undefined) return this.#comparison();
    const value = this.#negated();
    return (names) => !isTrue(value(names));
  }

  #comparison(): Evaluate {
    const first = this.#binary(0);
    const rest: { compare: (a: Value, b: Value) => boolean; other: Evaluate }[] = [];
    for (let operator = this.#comparator(); operator !== undefined; operator = this.#comparator())
      rest.push({
        compare: COMPARISONS[operator] as (a: Value, b: Value) => boolean,
        other: this.#binary(0),
      });
    if (rest.length === 0) return first;
    return (names) => {
      let left = first(names);
      return rest.every(({ compare, other }) => {
        const right = other(names);
        charge(names, left, right);
        const holds = compare(left, right);
        left = right;
        return holds;
      });
    };
  }

  #comparator(): string | undefined {
    const found = this.#take('==', '!=', '<=', '>=', '<', '>', 'in', 'is', 'not');
    if (found === 'is') return this.#take('not') === undefined ? 'is' : 'is not';
    if (found !== 'not') return found;
    this.#expect('in');
    return 'not in';
  }

  #binary(level: number): Evaluate {
    const operators = BINARY[level];
    if (operators === undefined) return this.#signed();
    let left = this.#binary(level + 1);
    for (
      let operator = this.#take(...operators);
      operator !== undefined;
      operator = this.#take(...operators)
    ) {
      const [apply, one, other] = [OPERATORS[operator], left, this.#binary(level + 1)];
      left = (names) => {
        const [a, b] = [one(names), other(names)];
        const result = (apply as (a: Value, b: Value) => Value)(a, b);
        charge(names, a, b, result);
        return result;
      };
    }
    return left;
  }

  #signed(): Evaluate {
    const sign = this.#take('-', '+', '~');
    if (sign === undefined) return this.#power();
    if (++this.#depth > MAX_DEPTH) throw new MacroError('the expression is nested too deeply');
    const value = this.#signed();
    this.#depth--;
    if (sign === '-') return (names) => negative(value(names));
    return sign === '+' ? value : (names) => -asInteger(value(names)) - 1n;
  }

  #power(): Evaluate {
    const base = this.#member();
    if (this.#take('**') === undefined) return base;
    const exponent = this.#signed();
    return (names) => (OPERATORS['**'] as (a: Value, b: Value) => Value)(base(names), exponent(names));
  }

  #member(): Evaluate {
    let value = this.#atom();
    for (;;) {
      const of = value;
      if (this.#take('.') !== undefined) {
        const { kind, text: name } = this.#next;
        if (kind !== 'name') throw this.#unexpected();
        this.#at++;
        value = (names) => {
          const owner = of(names);
          // A method goes through its text or list.
          if (typeof owner === 'string' || Array.isArray(owner)) charge(names, owner);
          return memberOf(owner, name);
        };
      } else if (this.#take('(') !== undefined) value = this.#call(of);
      else if (this.#take('[') !== undefined) value = this.#element(of);
      else return value;
    }
  }

  #call(of: Evaluate): Evaluate {
    const values: Evaluate[] = [];
    const named: [string, Evaluate][] = [];
    while (this.#take(')') === undefined) {
      const following = this.#tokens[this.#at + 1];
      if (this.#next.kind === 'name' && following?.kind === 'operator' && following.text === '=') {
        const { text: name } = this.#next;
        this.#at += 2;
        named.push([name, this.#value()]);
      } else {
        const value = this.#value();
        values.push(this.#next.text === 'for' ? this.#comprehension(value) : value);
      }
      if (this.#next.text !== ')') this.#expect(',');
    }
    return (names) => {
      const apply = of(names);
      if (typeof apply !== 'function') throw new MacroError(`a ${typeOf(apply)} cannot be called`);
      const given = values.map((value) => value(names));
      const result = (apply as Callable)(given, new Map(named.map(([name, value]) => [name, value(names)])));
      charge(names, ...given, result);
      return result;
    };
  }

  #element(of: Evaluate): Evaluate {
    const parts: (Evaluate | undefined)[] = [undefined];
    while (this.#take(']') === undefined) {
      if (this.#take(':') !== undefined) parts.push(undefined);
      else parts[parts.length - 1] = this.#sequence(']');
    }
    const [first, second, third] = parts;
    if (parts.length === 1) {
      if (first === undefined) throw this.#unexpected();
      return (names) => elementAt(of(names), first(names));
    }
    return (names) => {
      const whole = of(names);
      const bounds = [first, second, third].map((part) => part?.(names) ?? null);
      charge(names, whole);
      return slice(whole, bounds);
    };
  }

  #atom(): Evaluate {
    const { kind, text } = this.#next;
    this.#at++;
    if (kind === 'number') {
      const digits = text.replaceAll('_', '');
      const number = /^\d+$/.test(digits) ? wholeOf(digits) : Number(digits);
      return () => number;
    }
    if (kind === 'text') return this.#text(text);
    if (kind === 'name' && !RESERVED.has(text)) return this.#name(text);
    if (text === '(') return this.#group();
    if (text === '[') return this.#list();
    this.#at--;
    throw this.#unexpected();
  }

  /** Adjacent texts are one. */
  #text(first: string): Evaluate {
    let whole = unquoted(first);
    while (this.#next.kind === 'text') {
      whole += unquoted(this.#next.text);
      this.#at++;
    }
    return () => whole;
  }

  #name(name: string): Evaluate {
    if (name === 'True') return () => true;
    if (name === 'False') return () => false;
    if (name === 'None') return () => null;
    if (name.startsWith('__')) throw new MacroError(`the name "${name}" is not allowed`);
    return (names) => {
      const value = names.lookUp(name);
      if (value === undefined) throw new MacroError(`"${name}" is not defined`);
      return value;
    };
  }

  #group(): Evaluate {
    if (this.#take(')') !== undefined) return () => [];
    const value = this.#sequence(')');
    const group = this.#next.text === 'for' ? this.#comprehension(value) : value;
    this.#expect(')');
    return group;
  }

  #list(): Evaluate {
    if (this.#take(']') !== undefined) return () => [];
    const first = this.#value();
    if (this.#next.text === 'for') {
      const list = this.#comprehension(first);
      this.#expect(']');
      return list;
    }
    const values = [first];
    while (this.#take(',') !== undefined && this.#next.text !== ']') values.push(this.#value());
    this.#expect(']');
    return listOf(values);
  }

  #comprehension(value: Evaluate): Evaluate {
    this.#expect('for');
    const targets: string[] = [];
    do {
      const { kind, text } = this.#next;
      if (kind !== 'name' || RESERVED.has(text)) throw this.#unexpected();
      targets.push(text);
      this.#at++;
    } while (this.#take(',') !== undefined);
    this.#expect('in');
    const source = this.#either();
    const condition = this.#take('if') === undefined ? null : this.#either();
    return (names) => {
      const elements = elementsOf(source(names));
      names.spend(elements.length);
      const made: Value[] = [];
      for (const element of elements) {
        const inner = bound(names, targets, element);
        if (condition === null || isTrue(condition(inner))) made.push(value(inner));
      }
      charge(names, made);
      return made;
    };
  }
}

function listOf(values: readonly Evaluate[]): Evaluate {
  return (names) => {
    const list = values.map((value) => value(names));
    charge(names, list);
    return list;
  };
}

function bound(names: Names, targets: readonly string[], element: Value): Names {
  const values = targets.length === 1 ? [element] : elementsOf(element);
  const own = new Map(targets.map((target, at) => [target, values[at] ?? null]));
  return {
    lookUp: (name) => (own.has(name) ? own.get(name) : names.lookUp(name)),
    spend: (steps) => names.spend(steps),
  };
}

function slice(value: Value, [from = null, to = null, by = null]: readonly Value[]): Value {
  if (typeof value !== 'string' && !Array.isArray(value))
    throw new MacroError(`a ${typeOf(value)} has no parts`);
  const step = by === null ? 1 : asIndex(by);
  const start = from === null ? undefined : asIndex(from);
  const end = to === null ? undefined : asIndex(to);
  if (step === 1) return value.slice(start, end);
  if (step < 1 && !(step === -1 && from === null && to === null))
    throw new MacroError('a slice has an unusual step');
  const elements = [...value.slice(start, end)];
  const picked = step === -1 ? elements.reverse() : elements.filter((_, at) => at % step === 0);
  return typeof value === 'string' ? picked.join('') : (picked as Value[]);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0' };

function unquoted(literal: string): string {
  const isRaw = /^[rR]/.test(literal);
  const inner = literal.replace(/^[rRuU]/, '').slice(1, -1);
  return isRaw
    ? inner
    : inner.replace(/\\(.)/g, (all, one: string) => ESCAPES[one] ?? (/['"\\]/.test(one) ? one : all));
}
