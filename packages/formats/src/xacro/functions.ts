import { elementAt, OPERATORS } from './arithmetic.ts';
import {
  areEqual,
  asFloat,
  asIndex,
  asInteger,
  boundedLength,
  type Callable,
  compare,
  type Dictionary,
  elementsOf,
  entryOf,
  fixed,
  floatOf,
  isDictionary,
  isTrue,
  MAX_LENGTH,
  MacroError,
  type Names,
  numberOf,
  representationOf,
  soughtIn,
  textOf,
  typeOf,
  type Value,
  wholeOf,
} from './values.ts';

/** Names that are the same everywhere, as a namespace. */
export function namespaceOf(entries: Readonly<Record<string, Value>>): Names {
  const names = new Map(Object.entries(entries));
  return { lookUp: (name) => names.get(name), spend: () => {} };
}

function real(calculate: (...values: number[]) => number): Callable {
  return (values) => {
    const result = calculate(...values.map(asFloat));
    if (Number.isNaN(result) && !values.some((value) => Number.isNaN(asFloat(value))))
      throw new MacroError('a function of mathematics has no result here');
    return result;
  };
}

const whole =
  (round: (value: number) => number): Callable =>
  ([value = null]) => {
    const number = numberOf(value);
    return typeof number === 'bigint' ? number : BigInt(round(number));
  };

/** What Python's module `math` has, of which macros use it without its name, too. */
export const MATH: Readonly<Record<string, Value>> = {
  pi: Math.PI,
  e: Math.E,
  tau: 2 * Math.PI,
  inf: Number.POSITIVE_INFINITY,
  nan: Number.NaN,
  sin: real(Math.sin),
  cos: real(Math.cos),
  tan: real(Math.tan),
  asin: real(Math.asin),
  acos: real(Math.acos),
  atan: real(Math.atan),
  atan2: real(Math.atan2),
  sinh: real(Math.sinh),
  cosh: real(Math.cosh),
  tanh: real(Math.tanh),
  sqrt: real(Math.sqrt),
  exp: real(Math.exp),
  log: real((value, base) => (base === undefined ? Math.log(value) : Math.log(value) / Math.log(base))),
  log2: real(Math.log2),
  log10: real(Math.log10),
  pow: real(Math.pow),
  hypot: real(Math.hypot),
  fabs: real(Math.abs),
  fmod: real((a, b) => a % b),
  copysign: real((a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a))),
  radians: real((degrees) => degrees * (Math.PI / 180)),
  degrees: real((radians) => radians * (180 / Math.PI)),
  floor: whole(Math.floor),
  ceil: whole(Math.ceil),
  trunc: whole(Math.trunc),
  isnan: ([value = null]) => Number.isNaN(asFloat(value)),
  isinf: ([value = null]) => Math.abs(asFloat(value)) === Number.POSITIVE_INFINITY,
};

/** The most elements that a sum of lists copies: each step copies all before it. */
const MAX_COPIED = 1_000_000;

/** Python's own functions, of those that xacro offers. */
export const BUILT_IN: Readonly<Record<string, Value>> = {
  abs: ([value = null]) => {
    const number = numberOf(value);
    return typeof number === 'bigint' ? (number < 0n ? -number : number) : Math.abs(number);
  },
  all: ([values = null]) => elementsOf(values).every(isTrue),
  any: ([values = null]) => elementsOf(values).some(isTrue),
  bool: ([value = false]) => isTrue(value),
  dict: ([value = new Map()], named) => new Map([...pairsOf(value), ...named] as [Value, Value][]),
  divmod: ([a = null, b = null]) => [operate('//', a, b), operate('%', a, b)],
  enumerate: ([values = null, start = 0n]) =>
    elementsOf(values).map((value, at) => [asInteger(start) + BigInt(at), value]),
  float: ([value = 0]) => {
    if (typeof value !== 'string') return asFloat(value);
    const number = floatOf(value);
    if (number === undefined) throw new MacroError(`"${value}" is not a number`);
    return number;
  },
  int: ([value = 0n]) => {
    if (typeof value === 'string') {
      if (!/^\s*[-+]?\d+\s*$/.test(value)) throw new MacroError(`"${value}" is not a whole number`);
      return wholeOf(value.trim());
    }
    const number = numberOf(value);
    if (typeof number === 'number' && !Number.isFinite(number))
      throw new MacroError(`${number} is not a whole number`);
    return typeof number === 'bigint' ? number : BigInt(Math.trunc(number));
  },
  len: ([value = null]) =>
    isDictionary(value)
      ? BigInt(value.size)
      : BigInt(typeof value === 'string' ? [...value].length : elementsOf(value).length),
  list: ([value = []]) => [...elementsOf(value)],
  tuple: ([value = []]) => [...elementsOf(value)],
  map: ([apply = null, ...lists]) => {
    if (typeof apply !== 'function') throw new MacroError(`a ${typeOf(apply)} cannot be called`);
    return transposed(lists.map(elementsOf)).map((values) => apply(values, new Map()));
  },
  max: (values) => extreme(values, (order) => order > 0),
  min: (values) => extreme(values, (order) => order < 0),
  ord: ([text = null]) => BigInt((textOf(text).codePointAt(0) as number) ?? 0),
  range: (values) => range(values.map(asIndex)),
  repr: ([value = null]) => representationOf(value),
  reversed: ([values = null]) => [...elementsOf(values)].reverse(),
  round: ([value = null, digits = null]) => round(value, digits),
  sorted: ([values = null], named) => {
    const order = [...elementsOf(values)].sort(compare);
    return isTrue(named.get('reverse') ?? false) ? order.reverse() : order;
  },
  str: ([value = '']) => textOf(value),
  sum: ([values = null, start = 0n]) => {
    let copied = 0;
    return elementsOf(values).reduce((sum, value) => {
      copied += Array.isArray(sum) ? sum.length : 0;
      if (copied > MAX_COPIED) throw new MacroError('a text or list is too long');
      return operate('+', sum, value);
    }, start);
  },
  zip: (lists) => transposed(lists.map(elementsOf)),
};

function operate(name: string, a: Value, b: Value): Value {
  return (OPERATORS[name] as (a: Value, b: Value) => Value)(a, b);
}

function pairsOf(value: Value): readonly (readonly [Value, Value])[] {
  if (isDictionary(value)) return [...value];
  return elementsOf(value).map((pair) => {
    const [key = null, one = null] = elementsOf(pair);
    return [key, one];
  });
}

function transposed(lists: readonly Value[][]): Value[][] {
  const length = lists.length === 0 ? 0 : Math.min(...lists.map((list) => list.length));
  return Array.from({ length }, (_, at) => lists.map((list) => list[at] as Value));
}

function extreme(values: readonly Value[], isBetter: (order: number) => boolean): Value {
  const candidates = values.length === 1 ? elementsOf(values[0] as Value) : values;
  const [first, ...others] = candidates;
  if (first === undefined) throw new MacroError('the largest or smallest of nothing is asked for');
  return others.reduce((best, value) => (isBetter(compare(value, best)) ? value : best), first);
}

function range(values: readonly number[]): Value[] {
  const [start, end] = values.length === 1 ? [0, values[0] as number] : [values[0] ?? 0, values[1] ?? 0];
  const step = values[2] ?? 1;
  const length = step === 0 ? 0 : Math.max(0, Math.ceil((end - start) / step));
  if (length > MAX_LENGTH) throw new MacroError('a list is too long');
  return Array.from({ length }, (_, at) => BigInt(start + at * step));
}

function round(value: Value, digits: Value): Value {
  const number = numberOf(value);
  if (typeof number === 'bigint') return number;
  const places = digits === null ? 0 : asIndex(digits);
  if (places < 0) throw new MacroError('a number is rounded to tens');
  const rounded = fixed(number, places);
  return digits === null ? BigInt(rounded) : Number(rounded);
}

const text =
  (apply: (text: string, ...values: string[]) => Value) =>
  (own: string): Callable =>
  (values) =>
    apply(own, ...values.map(textOf));

/** The methods of texts. */
const TEXT_METHODS: Readonly<Record<string, (own: string) => Callable>> = {
  capitalize: text((own) => own.slice(0, 1).toUpperCase() + own.slice(1).toLowerCase()),
  count: text((own, part = '') => BigInt(own.split(soughtIn(part)).length - 1)),
  endswith: text((own, end = '') => own.endsWith(end)),
  find: text((own, part = '') => BigInt(own.indexOf(soughtIn(part)))),
  isdigit: text((own) => /^\d+$/.test(own)),
  join:
    (own) =>
    ([values = null]) =>
      joined(elementsOf(values).map(textOf), own),
  lower: text((own) => own.toLowerCase()),
  lstrip: text((own, characters) => stripped(own, characters, true, false)),
  replace: text((own, part = '', by = '') =>
    joined(part === '' ? ['', ...own, ''] : own.split(soughtIn(part)), by),
  ),
  rstrip: text((own, characters) => stripped(own, characters, false, true)),
  split: text((own, separator) =>
    separator === undefined
      ? own
          .trim()
          .split(/\s+/)
          .filter((one) => one !== '')
      : own.split(soughtIn(separator)),
  ),
  startswith: text((own, start = '') => own.startsWith(start)),
  strip: text((own, characters) => stripped(own, characters, true, true)),
  title: text((own) =>
    own.toLowerCase().replace(/\p{L}+/gu, (word) => word.slice(0, 1).toUpperCase() + word.slice(1)),
  ),
  upper: text((own) => own.toUpperCase()),
  zfill: text((own, width = '0') => own.padStart(Math.min(1_000, Number(width)), '0')),
};

/** Puts a text between others, unless that only fills memory. */
function joined(texts: readonly string[], between: string): string {
  if (between.length * texts.length > 2 * MAX_LENGTH) throw new MacroError('a text or list is too long');
  return boundedLength(texts.join(between));
}

function stripped(own: string, characters: string | undefined, atStart: boolean, atEnd: boolean): string {
  const given = characters === undefined ? undefined : new Set(characters);
  const isStripped = (one: string | undefined) => one !== undefined && (given?.has(one) ?? /\s/.test(one));
  let [start, end] = [0, own.length];
  while (atStart && start < end && isStripped(own[start])) start++;
  while (atEnd && end > start && isStripped(own[end - 1])) end--;
  return own.slice(start, end);
}

/** Returns what is written behind a dot: a method of a text, list or dictionary, or an entry of what is read from YAML. */
export function memberOf(value: Value, name: string): Value {
  const found = memberOrUndefined(value, name);
  if (found === undefined) throw new MacroError(`a ${typeOf(value)} has no "${name}"`);
  return found;
}

function memberOrUndefined(value: Value, name: string): Value | undefined {
  if (typeof value === 'string') {
    const method = Object.hasOwn(TEXT_METHODS, name) ? TEXT_METHODS[name] : undefined;
    return method?.(value);
  }
  if (Array.isArray(value)) return listMember(value, name);
  if (isDictionary(value)) return entryOf(value, name) ?? dictionaryMember(value, name);
  if (typeof value === 'object' && value !== null) return value.lookUp(name);
  return undefined;
}

function listMember(own: Value[], name: string): Callable | undefined {
  if (name === 'index') return ([value = null]) => BigInt(own.findIndex((one) => areEqual(one, value)));
  if (name === 'pop')
    return ([at = -1n]) => {
      const found = elementAt(own, at);
      own.splice(asIndex(at), 1);
      return found;
    };
  if (name === 'count') return ([value = null]) => BigInt(own.filter((one) => areEqual(one, value)).length);
  return undefined;
}

function dictionaryMember(own: Dictionary, name: string): Callable | undefined {
  if (name === 'keys') return () => [...own.keys()];
  if (name === 'values') return () => [...own.values()];
  if (name === 'items') return () => [...own];
  if (name === 'get') return ([key = null, otherwise = null]) => entryOf(own, key) ?? otherwise;
  return undefined;
}
