import { formatPercent } from './formatting.ts';
import {
  areEqual,
  asIndex,
  asInteger,
  bounded,
  boundedLength,
  compare,
  elementsOf,
  entryOf,
  isDictionary,
  MAX_LENGTH,
  MacroError,
  numberOf,
  representationOf,
  soughtIn,
  typeOf,
  type Value,
} from './values.ts';

type Operation = (a: Value, b: Value) => Value;

/** The operators of Python between two values, of those that macros use. */
export const OPERATORS: Readonly<Record<string, Operation>> = {
  '+': (a, b) => {
    if (typeof a === 'string' && typeof b === 'string') return boundedLength(a + b);
    if (Array.isArray(a) && Array.isArray(b)) return boundedLength([...a, ...b]);
    if (typeof a === 'string' || typeof b === 'string')
      throw new MacroError(`a ${typeOf(a)} is added to a ${typeOf(b)}`);
    return calculate(
      a,
      b,
      (one, other) => one + other,
      (one, other) => one + other,
    );
  },
  '-': (a, b) =>
    calculate(
      a,
      b,
      (one, other) => one - other,
      (one, other) => one - other,
    ),
  '*': (a, b) => {
    if (typeof a === 'string' || Array.isArray(a)) return repeated(a, b);
    if (typeof b === 'string' || Array.isArray(b)) return repeated(b, a);
    return calculate(
      a,
      b,
      (one, other) => one * other,
      (one, other) => one * other,
    );
  },
  '/': (a, b) => {
    const [one, other] = [Number(numberOf(a)), Number(numberOf(b))];
    return one / divisor(other);
  },
  '//': (a, b) => calculate(a, b, floorDivide, (one, other) => Math.floor(one / divisor(other))),
  '%': (a, b) => {
    if (typeof a === 'string') return boundedLength(formatPercent(a, b));
    return calculate(
      a,
      b,
      (one, other) => one - floorDivide(one, other) * other,
      (one, other) => one - Math.floor(one / divisor(other)) * other,
    );
  },
  '**': power,
  '|': (a, b) => bitwise(a, b, (one, other) => one | other),
  '&': (a, b) => bitwise(a, b, (one, other) => one & other),
  '^': (a, b) => bitwise(a, b, (one, other) => one ^ other),
  '<<': (a, b) => bounded(asInteger(a) << shift(b)),
  '>>': (a, b) => asInteger(a) >> shift(b),
};

/** The comparisons of Python. */
export const COMPARISONS: Readonly<Record<string, (a: Value, b: Value) => boolean>> = {
  '==': areEqual,
  '!=': (a, b) => !areEqual(a, b),
  '<': (a, b) => compare(a, b) < 0,
  '<=': (a, b) => compare(a, b) <= 0,
  '>': (a, b) => compare(a, b) > 0,
  '>=': (a, b) => compare(a, b) >= 0,
  in: (a, b) => contains(b, a),
  'not in': (a, b) => !contains(b, a),
  is: (a, b) => (a === null || b === null ? a === b : areEqual(a, b)),
  'is not': (a, b) => (a === null || b === null ? a !== b : !areEqual(a, b)),
};

export function negative(value: Value): Value {
  const number = numberOf(value);
  return typeof number === 'bigint' ? -number : -number;
}

/** Returns the element of a list, text or dictionary; negative positions count from the end. */
export function elementAt(container: Value, key: Value): Value {
  if (isDictionary(container)) {
    const found = entryOf(container, key);
    if (found === undefined) throw new MacroError(`there is no key ${representationOf(key)}`);
    return found;
  }
  if (typeof container !== 'string' && !Array.isArray(container))
    throw new MacroError(`a ${typeOf(container)} has no elements`);
  const index = asIndex(key);
  const found = container.at(index);
  if (found === undefined) throw new MacroError(`position ${index} is outside of the ${typeOf(container)}`);
  return found;
}

function contains(container: Value, value: Value): boolean {
  if (typeof container === 'string') {
    if (typeof value !== 'string') throw new MacroError(`a ${typeOf(value)} is looked for in a text`);
    return container.includes(soughtIn(value));
  }
  return elementsOf(container).some((one) => areEqual(one, value));
}

function calculate(
  a: Value,
  b: Value,
  whole: (a: bigint, b: bigint) => bigint,
  real: (a: number, b: number) => number,
): Value {
  const [one, other] = [numberOf(a), numberOf(b)];
  if (typeof one === 'bigint' && typeof other === 'bigint') return bounded(whole(one, other));
  return real(Number(one), Number(other));
}

function floorDivide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new MacroError('division by zero');
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

function divisor(value: number): number {
  if (value === 0) throw new MacroError('division by zero');
  return value;
}

function power(a: Value, b: Value): Value {
  const [base, exponent] = [numberOf(a), numberOf(b)];
  if (typeof base === 'bigint' && typeof exponent === 'bigint' && exponent >= 0n) {
    const bits = BigInt(base.toString(2).length) * exponent;
    if (bits > 65_536n) throw new MacroError('a number is too large');
    return bounded(base ** exponent);
  }
  return Number(base) ** Number(exponent);
}

function repeated(value: string | Value[], times: Value): Value {
  const count = Math.max(0, asIndex(times));
  if (value.length * count > MAX_LENGTH) throw new MacroError('a text or list is too long');
  return typeof value === 'string' ? value.repeat(count) : Array.from({ length: count }, () => value).flat();
}

function bitwise(a: Value, b: Value, whole: (a: bigint, b: bigint) => bigint): Value {
  const result = whole(asInteger(a), asInteger(b));
  return typeof a === 'boolean' && typeof b === 'boolean' ? result !== 0n : result;
}

function shift(value: Value): bigint {
  const by = asInteger(value);
  if (by < 0n || by > 4_096n) throw new MacroError('a number is too large');
  return by;
}
