import { decodeText } from '../../files/text.ts';
import { UnreadableFileError } from '../../files/unreadable.ts';
import { named } from '../../named.ts';
import type { LayerFault, NumberType } from './values.ts';

const code = (character: string) => character.charCodeAt(0);
const NEWLINE = 10;
const HASH = code('#');
const SLASH = code('/');
const STAR = code('*');
const BACKSLASH = code('\\');
const AT = code('@');
const COLON = code(':');
const COMMA = code(',');
const OPEN = code('(');
const CLOSE = code(')');
const CLOSE_LIST = code(']');
const CLOSE_PATH = code('>');
const MINUS = code('-');
const PLUS = code('+');
const DOT = code('.');
const ZERO = code('0');
const NINE = code('9');
const EXPONENT = code('e');

/** Powers of ten that are exact. */
const POWERS = Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};
const CONSTANTS: Readonly<Record<string, number>> = named({
  inf: Infinity,
  '-inf': -Infinity,
  nan: Number.NaN,
});
const TRUTHS: Readonly<Record<string, number>> = named({ true: 1, false: 0, yes: 1, no: 0 });

/** Reads the words, numbers and texts of a layer in UTF-8. */
export class TextScanner {
  readonly #bytes: Uint8Array;
  #at: number;
  #line = 1;
  #countedTo = 0;
  /** Where the last gap between tokens ended, and whether a line ended in it. */
  #gapEnd = -1;
  #hasLineEnded = false;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** What OpenUSD refuses and can be read all the same: where statements on one line are not separated. */
  fault: LayerFault | undefined;

  fail(reason: string): never {
    throw new UnreadableFileError(`is not valid USD: ${reason} in line ${this.line}`);
  }

  /** Keeps the first fault. */
  note(reason: string): void {
    this.fault ??= { line: this.line, message: `is not valid USD: ${reason}` };
  }

  /** The line of what was read last, counted from 1. */
  get line(): number {
    let at = this.#countedTo;
    for (;;) {
      at = this.#bytes.indexOf(NEWLINE, at);
      if (at < 0 || at >= this.#at) break;
      this.#line++;
      at++;
    }
    this.#countedTo = this.#at;
    return this.#line;
  }

  /** Whether what comes next is on a line of its own, or nothing comes. */
  get isOnNewLine(): boolean {
    this.#skip();
    return this.#hasLineEnded || this.#at >= this.#bytes.length;
  }

  /** Fails if what comes next is not on the same line. */
  stayOnLine(): void {
    if (this.isOnNewLine) this.fail('a statement ends too early');
  }

  /** Reads the end of a statement: a semicolon, or the end of the line. */
  endStatement(): void {
    if (!this.isOnNewLine && !this.take(';')) this.note('expected ";" or the end of the line');
  }

  /** The next character after spaces and comments, '' at the end. */
  peek(): string {
    this.#skip();
    const byte = this.#bytes[this.#at];
    return byte === undefined ? '' : String.fromCharCode(byte);
  }

  take(character: string): boolean {
    if (this.peek() !== character) return false;
    this.#at++;
    return true;
  }

  expect(character: string): void {
    if (!this.take(character)) this.fail(`expected "${character}"`);
  }

  /** Reads a name, which can have namespaces (`:`) and letters of any script; '' if there is none. */
  word(): string {
    this.#skip();
    const start = this.#at;
    let isAscii = true;
    for (; ; this.#at++) {
      const byte = this.#bytes[this.#at] ?? 0;
      if (byte >= 0x80) isAscii = false;
      else if (!isWordByte(byte)) break;
    }
    if (!isAscii || this.#at - start > 40) return decodeText(this.#bytes.subarray(start, this.#at));
    let word = '';
    for (let at = start; at < this.#at; at++) word += String.fromCharCode(this.#bytes[at] as number);
    return word;
  }

  /** Reads a word without leaving its place. */
  peekWord(): string {
    this.#skip();
    const start = this.#at;
    const word = this.word();
    this.#at = start;
    return word;
  }

  #skip(): void {
    const bytes = this.#bytes;
    if (this.#at !== this.#gapEnd) this.#hasLineEnded = false;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === NEWLINE) this.#hasLineEnded = true;
      if (isSpace(byte)) this.#at++;
      else if (byte === HASH || (byte === SLASH && bytes[this.#at + 1] === SLASH)) {
        const end = bytes.indexOf(NEWLINE, this.#at);
        this.#at = end < 0 ? bytes.length : end;
      } else if (byte === SLASH && bytes[this.#at + 1] === STAR) {
        let end = bytes.indexOf(SLASH, this.#at + 3);
        while (end >= 0 && bytes[end - 1] !== STAR) end = bytes.indexOf(SLASH, end + 1);
        if (end < 0) this.fail('a comment has no end');
        this.#at = end + 1;
      } else break;
    }
    this.#gapEnd = this.#at;
  }

  /** Reads a text in single or double quotes, or three of them. */
  string(): string {
    const quote = this.peek();
    if (quote !== '"' && quote !== "'") this.fail('expected a text in quotes');
    const byte = code(quote);
    const bytes = this.#bytes;
    const isLong = bytes[this.#at + 1] === byte && bytes[this.#at + 2] === byte;
    this.#at += isLong ? 3 : 1;
    const start = this.#at;
    let isEscaped = false;
    for (let at = start; at < bytes.length; at++) {
      const next = bytes[at];
      if (next === BACKSLASH) {
        isEscaped = true;
        at++;
      } else if (next === NEWLINE && !isLong) break;
      else if (next === byte && (!isLong || (bytes[at + 1] === byte && bytes[at + 2] === byte))) {
        // A long text can end with quotes of its own.
        while (isLong && bytes[at + 3] === byte) at++;
        this.#at = at + (isLong ? 3 : 1);
        const text = decodeText(bytes.subarray(start, at));
        return isEscaped ? unescaped(text) : text;
      }
    }
    this.fail('a text has no closing quote');
  }

  /** Reads a path to a file in `@` or `@@@`. */
  asset(): string {
    this.expect('@');
    const bytes = this.#bytes;
    const isLong = bytes[this.#at] === AT && bytes[this.#at + 1] === AT;
    if (isLong) this.#at += 2;
    const start = this.#at;
    let end = bytes.indexOf(AT, start);
    while (
      isLong &&
      end >= 0 &&
      (bytes[end + 1] !== AT || bytes[end + 2] !== AT || bytes[end - 1] === BACKSLASH)
    )
      end = bytes.indexOf(AT, end + 1);
    if (end < 0) this.fail('a path to a file has no closing "@"');
    while (isLong && bytes[end + 3] === AT) end++;
    this.#at = end + (isLong ? 3 : 1);
    const text = decodeText(bytes.subarray(start, end));
    if (!isLong && text.includes('\n')) this.fail('a path to a file has no closing "@"');
    return isLong ? text.replaceAll('\\@@@', '@@@') : text;
  }

  /** Reads a path to a prim or property in `<>`; `isOptional`: nothing can be in between. */
  path(isOptional = false): string {
    this.expect('<');
    const end = this.#bytes.indexOf(CLOSE_PATH, this.#at);
    if (end < 0) this.fail('a path has no closing ">"');
    const text = decodeText(this.#bytes.subarray(this.#at, end));
    if (!isPath(text) && !(isOptional && text === '')) this.fail(`<${text}> is no path`);
    this.#at = end + 1;
    return text;
  }

  startsNumber(): boolean {
    return /[-.\d]/.test(this.peek()) || /^(?:inf|nan)$/.test(this.peekWord());
  }

  number(): number {
    this.#skip();
    return this.#number(true, false);
  }

  /** Reads what follows the opening bracket of a list of numbers, vectors or matrices. */
  numbers({ size, rows, isTruth, array: Kind }: NumberType): InstanceType<NumberType['array']> {
    const bytes = this.#bytes;
    const isExact = Kind !== Float32Array;
    const sizes = size === 1 ? [] : rows === undefined ? [size] : [size, rows];
    // How many numbers there were when each of the parentheses opened that are open.
    const opened: number[] = [];
    let list = new Kind(256);
    let count = 0;
    let needsComma = false;
    for (;;) {
      const byte = bytes[this.#at];
      if (byte === undefined) this.fail('a list has no closing "]"');
      if (isSpace(byte)) this.#at++;
      else if (byte === COMMA && needsComma) {
        needsComma = false;
        this.#at++;
      } else if (byte === OPEN && !needsComma && opened.length < sizes.length) {
        opened.push(count);
        this.#at++;
      } else if (byte === CLOSE && opened.length > 0) {
        const wanted = sizes[opened.length - 1] ?? 0;
        if (count - (opened.pop() ?? 0) !== wanted) this.fail('the vectors of a list are incomplete');
        needsComma = true;
        this.#at++;
      } else if (byte === CLOSE_LIST && opened.length === 0) break;
      else if (byte === HASH || byte === SLASH) {
        const before = this.#at;
        this.#skip();
        if (this.#at === before) this.fail('unexpected "/"');
      } else {
        if (needsComma || opened.length < sizes.length)
          this.fail(`unexpected "${String.fromCharCode(byte)}" in a list`);
        if (count === list.length) {
          const longer = new Kind(2 * count);
          longer.set(list);
          list = longer;
        }
        list[count++] = this.#number(isExact, isTruth ?? false);
        needsComma = true;
      }
    }
    this.#at++;
    return list.slice(0, count);
  }

  #number(isExact: boolean, isTruth: boolean): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let byte = bytes[at] ?? 0;
    const isNegative = byte === MINUS;
    if (isNegative) byte = bytes[++at] ?? 0;
    const first = at;
    let mantissa = 0;
    let power = 0;
    let isLong = false;
    for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) {
      if (mantissa < 1e14) mantissa = mantissa * 10 + byte - ZERO;
      else {
        isLong = true;
        power++;
      }
    }
    let digits = at - first;
    if (byte === DOT) {
      const point = at;
      byte = bytes[++at] ?? 0;
      for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0) {
        if (mantissa < 1e14) {
          mantissa = mantissa * 10 + byte - ZERO;
          power--;
        } else isLong = true;
      }
      digits += at - point - 1;
    }
    if (digits === 0) return this.#constant(first, isNegative, isTruth);
    if ((byte | 32) === EXPONENT) {
      byte = bytes[++at] ?? 0;
      const isSmall = byte === MINUS;
      if (isSmall || byte === PLUS) byte = bytes[++at] ?? 0;
      let exponent = 0;
      const start = at;
      for (; byte >= ZERO && byte <= NINE; byte = bytes[++at] ?? 0)
        exponent = Math.min(exponent * 10 + byte - ZERO, 9999);
      if (at === start) this.fail('an exponent has no digits');
      power += isSmall ? -exponent : exponent;
    }
    this.#at = at;
    if (byte === DOT || (isWordByte(byte) && byte !== COLON))
      this.fail('a number does not end where it should');
    if ((isLong && isExact) || power > 22 || power < -22)
      return Number(decodeText(bytes.subarray(start, at)));
    const value = power < 0 ? mantissa / (POWERS[-power] as number) : mantissa * (POWERS[power] as number);
    return isNegative ? -value : value;
  }

  #constant(start: number, isNegative: boolean, isTruth: boolean): number {
    this.#at = start;
    const word = this.word();
    const value =
      (isTruth ? TRUTHS[word.toLowerCase()] : undefined) ?? CONSTANTS[isNegative ? `-${word}` : word];
    if (value === undefined)
      this.fail(word === '' ? 'expected a number' : `expected a number, not "${word}"`);
    return value;
  }
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === NEWLINE || byte === 9 || byte === 13;
}

/** Whether a text can be a path in `<>`, in which selections of variants are in braces. */
function isPath(text: string): boolean {
  return !/^$|[\s-]|\/$|\/\//.test(text.replace(/\{[^{}]*\}/g, ''));
}

function isWordByte(byte: number): boolean {
  return (
    (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || (byte >= 48 && byte <= 58) || byte === 95
  );
}

function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([\da-f]{1,2})|([0-7]{1,3})|([\s\S]))/gi,
    (_, hex?: string, octal?: string, other = '') => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[other] ?? other;
    },
  );
}
