/**
 * A value of a macro expression, which is an expression of Python: `bigint` is its int, `number` its float, and a list
 * also stands for a tuple. Only `pop` of a list changes a value once made.
 */
export type Value = bigint | number | boolean | string | null | Value[] | Dictionary | Callable | Names;

export type Dictionary = ReadonlyMap<Value, Value>;

/** A function that expressions can call. `named`: its keyword arguments. */
export type Callable = (values: readonly Value[], named: ReadonlyMap<string, Value>) => Value;

/** What names stand for; also a namespace, whose names are written behind a dot. */
export interface Names {
  /** Returns undefined for a name that is not defined. */
  lookUp(name: string): Value | undefined;
  /** Counts work against the limit of the whole expansion. */
  spend(steps: number): void;
}

/** Why an expression or a macro cannot be evaluated. The message completes a sentence that names the place. */
export class MacroError extends Error {
  override name = 'MacroError';
}

/** A macro needs what only its surroundings give: an argument, a variable of the environment, a file of another package. */
export class NotGiven extends MacroError {}

/** The longest text or list that an expression may make. */
export const MAX_LENGTH = 100_000;
/** The most bits, and decimal digits, of a whole number. */
const MAX_BITS = 4_096n;
const MAX_DIGITS = 1_234;
const MAX_WEIGHT = 1_000_000;
/** The weight that is worth one step of an expansion. */
const WEIGHT_PER_STEP = 8;

export function isDictionary(value: Value): value is Dictionary {
  return value instanceof Map;
}

/** The name of a value's type, for messages. */
export function typeOf(value: Value): string {
  if (value === null) return 'None';
  if (Array.isArray(value)) return 'list';
  if (isDictionary(value)) return 'dict';
  if (typeof value === 'function') return 'function';
  const names: Record<string, string> = {
    bigint: 'int',
    number: 'float',
    boolean: 'bool',
    string: 'text',
    object: 'namespace',
  };
  return names[typeof value] ?? typeof value;
}

const weights = new WeakMap<Value[] | Dictionary, number>();

/** The characters and elements in a value, each as often as it occurs in it: what comparing or writing it takes. */
function weightOf(value: Value): number {
  if (typeof value === 'string') return value.length;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 1 : MAX_DIGITS;
  if (!Array.isArray(value) && !isDictionary(value)) return 1;
  let weight = weights.get(value);
  if (weight === undefined) {
    weight = 1;
    if (Array.isArray(value)) for (const one of value) weight += weightOf(one);
    else for (const [key, one] of value) weight += weightOf(key) + weightOf(one);
    weights.set(value, weight);
  }
  return weight;
}

/** Counts values that are made or gone through as work, by what is in them. Throws `MacroError` for what is too large. */
export function charge(names: Names, ...values: readonly Value[]): void {
  let weight = 0;
  for (const value of values) weight += weightOf(value);
  if (weight > MAX_WEIGHT) throw new MacroError('a text or list is too long');
  names.spend(Math.floor(weight / WEIGHT_PER_STEP));
}

export function isTrue(value: Value): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isDictionary(value)) return value.size > 0;
  return Boolean(value);
}

/** The text of a value, as `str` of Python writes it. */
export function textOf(value: Value): string {
  return typeof value === 'string' ? value : representationOf(value);
}

/** The text of a value, as `repr` of Python writes it. */
export function representationOf(value: Value): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(representationOf).join(', ')}]`;
  if (isDictionary(value)) {
    const entries = [...value].map(([key, one]) => `${representationOf(key)}: ${representationOf(one)}`);
    return `{${entries.join(', ')}}`;
  }
  if (typeof value === 'bigint') return String(value);
  throw new MacroError(`a ${typeOf(value)} is used as a value`);
}

function quoted(text: string): string {
  const escaped = text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
  return text.includes("'") && !text.includes('"') ? `"${escaped}"` : `'${escaped.replace(/'/g, "\\'")}'`;
}

/** Python and JavaScript write the same digits, but exponents from other sizes on, and `.0` after whole numbers. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  if (value === 0) return '0.0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16)
    return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  const plain = power < 0 ? value.toFixed(mantissa.replace(/\D/g, '').length - 1 - power) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** The int, float or bool that a text is the literal of, a quoted text without its quotes, or the text itself. */
export function literalOf(text: string): Value {
  if (text.length >= 2 && text.startsWith("'") && text.endsWith("'")) return text.slice(1, -1);
  if (text.includes('_')) return text;
  const trimmed = text.trim();
  if (/^[-+]?\d+$/.test(trimmed)) return wholeOf(trimmed);
  const number = floatOf(trimmed);
  if (number !== undefined) return number;
  if (text === 'true' || text === 'True') return true;
  return text === 'false' || text === 'False' ? false : text;
}

/** The whole number that digits, after a sign or without one, stand for. */
export function wholeOf(digits: string): bigint {
  if (digits.length > MAX_DIGITS) throw new MacroError('a number is too large');
  return bounded(BigInt(digits.replace(/^\+/, '')));
}

/** Reads a text as `float` of Python does. */
export function floatOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  const special = /^([-+]?)(inf(?:inity)?|nan)$/i.exec(trimmed);
  if (special === null) return undefined;
  if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
  return special[1] === '-' ? -Infinity : Infinity;
}

/** The value of a condition. Throws `MacroError` for a text that is neither a truth value nor a whole number. */
export function conditionOf(value: Value, written: string): boolean {
  if (typeof value !== 'string') return isTrue(value);
  const literal =
    value === 'true' || value === 'True' ? true : value === 'false' || value === 'False' ? false : null;
  if (literal !== null) return literal;
  const whole = /^\s*[-+]?\d+\s*$/.test(value) ? wholeOf(value.trim()) : null;
  if (whole === null)
    throw new MacroError(`the condition "${written}" is "${value}", which is neither true nor false`);
  return whole !== 0n;
}

/** A number that arithmetic can use; a truth value counts as 0 or 1. */
export function numberOf(value: Value): bigint | number {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  throw new MacroError(
    `a ${typeOf(value)} is used as a number${typeof value === 'string' ? `: "${value}"` : ''}`,
  );
}

export function asFloat(value: Value): number {
  return Number(numberOf(value));
}

export function asInteger(value: Value): bigint {
  const number = numberOf(value);
  if (typeof number === 'number') throw new MacroError(`${floatText(number)} is used as a whole number`);
  return number;
}

/** A position or a count, which fits a JavaScript number. */
export function asIndex(value: Value): number {
  const index = asInteger(value);
  if (index > 1_000_000_000n || index < -1_000_000_000n) throw new MacroError(`${index} is too large`);
  return Number(index);
}

/** The elements of anything that can be iterated over. */
export function elementsOf(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [...value];
  if (isDictionary(value)) return [...value.keys()];
  throw new MacroError(`a ${typeOf(value)} has no elements`);
}

export function areEqual(a: Value, b: Value): boolean {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(numberOf(a), numberOf(b)) === 0;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => areEqual(one, b[at] as Value));
  if (isDictionary(a) && isDictionary(b)) {
    return a.size === b.size && [...a].every(([key, one]) => areEqual(one, entryOf(b, key) ?? NOTHING));
  }
  return a === b;
}

const NOTHING: Value = () => null;

/** Orders numbers, texts and lists as Python does; NaN is unordered. */
export function compare(a: Value, b: Value): number {
  if (isNumeric(a) && isNumeric(b)) return compareNumbers(numberOf(a), numberOf(b));
  if (typeof a === 'string' && typeof b === 'string') return a < b ? -1 : a > b ? 1 : 0;
  if (Array.isArray(a) && Array.isArray(b)) {
    const at = a.findIndex((one, place) => place >= b.length || !areEqual(one, b[place] as Value));
    if (at < 0) return a.length - b.length;
    return at >= b.length ? 1 : compare(a[at] as Value, b[at] as Value);
  }
  throw new MacroError(`a ${typeOf(a)} is compared with a ${typeOf(b)}`);
}

function isNumeric(value: Value): boolean {
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean';
}

function compareNumbers(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return Number(a) === Number(b) ? 0 : Number.NaN;
}

/** Returns what a dictionary has at a key; equal numbers are one key. */
export function entryOf(dictionary: Dictionary, key: Value): Value | undefined {
  const exact = dictionary.get(key);
  if (exact !== undefined || !isNumeric(key)) return exact;
  const number = Number(key);
  const equal = [number, Number.isInteger(number) ? BigInt(number) : null, number === 1, number !== 0];
  const own = equal.find((one) => one !== null && areEqual(one, key) && dictionary.has(one));
  return own === undefined ? undefined : dictionary.get(own);
}

/** Writes a number with so many digits after the dot, rounded half to even by its exact value. */
export function fixed(value: number, places: number): string {
  if (places > 60 || Math.abs(value) >= 1e21) throw new MacroError('a number has too many digits');
  const exact = value.toFixed(places + 40);
  const kept = exact.slice(0, -40).replace(/\.$/, '');
  const isHalf = exact.slice(-40) === '5'.padEnd(40, '0');
  return isHalf && /[02468]$/.test(kept) ? kept : value.toFixed(places);
}

/** Rejects numbers that only exist to fill memory. */
export function bounded(value: bigint): bigint {
  if (value > 1n << MAX_BITS || -value > 1n << MAX_BITS) throw new MacroError('a number is too large');
  return value;
}

const MAX_SOUGHT = 1_000;

/** Rejects what takes long to look for in a text. */
export function soughtIn(part: string): string {
  if (part.length > MAX_SOUGHT) throw new MacroError('a text that is looked for is too long');
  return part;
}

/** Rejects texts and lists that only exist to fill memory. */
export function boundedLength<Long extends string | Value[]>(value: Long): Long {
  if (value.length > MAX_LENGTH) throw new MacroError('a text or list is too long');
  return value;
}
