import { named } from '../../named.ts';
import type { TextScanner } from './text-scanner.ts';
import {
  BLOCKED,
  isAsset,
  type NumberType,
  numberType,
  TimeSamples,
  type UsdAsset,
  type UsdValue,
} from './values.ts';

const MAX_NESTING = 256;

type TextValue = UsdValue | typeof BLOCKED;

const TEXTS: ReadonlySet<string> = new Set(['string', 'token']);
const RANGES: Readonly<Record<string, readonly [least: number, most: number]>> = named({
  uchar: [0, 2 ** 8 - 1],
  int: [-(2 ** 31), 2 ** 31 - 1],
  uint: [0, 2 ** 32 - 1],
});

/** Reads the values of a layer in text, and what they are nested in. */
export class TextValues {
  readonly #scanner: TextScanner;
  readonly #path: string;
  #depth = 0;

  constructor(scanner: TextScanner, path: string) {
    this.#scanner = scanner;
    this.#path = path;
  }

  #nested<Result>(read: () => Result): Result {
    if (++this.#depth > MAX_NESTING) this.#scanner.fail('it is nested too deeply');
    const result = read();
    this.#depth--;
    return result;
  }

  /** Reads what is between braces. */
  block(item: () => void): void {
    this.#scanner.expect('{');
    this.#nested(() => {
      while (!this.#scanner.take('}')) {
        if (this.#scanner.peek() === '') this.#scanner.fail('a block has no closing "}"');
        item();
      }
    });
  }

  /** Reads what comes before a value, which begins on the same line. */
  equals(): void {
    this.#scanner.stayOnLine();
    this.#scanner.expect('=');
    this.#scanner.stayOnLine();
  }

  /** Reads one item, or several in brackets. */
  list<Item>(item: () => Item): Item[] {
    const scanner = this.#scanner;
    if (!scanner.take('[')) return [item()];
    const items: Item[] = [];
    while (!scanner.take(']')) {
      items.push(item());
      if (!scanner.take(',') && scanner.peek() !== ']') scanner.fail('expected "," or "]" in a list');
    }
    return items;
  }

  /** Reads one string, or several in brackets. */
  strings(): string[] {
    return this.list(() => this.#scanner.string());
  }

  /** Reads a value of a type by its name; of one that is not known by what it looks like. */
  ofType(type: string, isArray: boolean): TextValue {
    const scanner = this.#scanner;
    const numbers = numberType(type);
    if (scanner.peekWord() === 'None') return this.#blocked();
    if (isArray && scanner.peek() !== '[') scanner.fail(`expected "[" for ${type}[]`);
    if (TEXTS.has(type)) return isArray ? this.strings() : scanner.string();
    if (numbers !== undefined && isArray && scanner.take('[')) return scanner.numbers(numbers);
    if (type === 'bool') return this.#truth();
    if (numbers !== undefined) return numbers.size === 1 ? this.#numberOf(type) : this.#vector(numbers);
    const value = this.any();
    if (type !== 'asset' || isArray) return value;
    if (typeof value === 'string') return { asset: value, layer: this.#path };
    return isAsset(value) ? value : scanner.fail('expected a path to a file');
  }

  /** Reads a value by what it looks like. */
  any(): TextValue {
    const scanner = this.#scanner;
    switch (scanner.peek()) {
      case '"':
      case "'":
        return scanner.string();
      case '@':
        return { asset: scanner.asset(), layer: this.#path, line: scanner.line };
      case '<':
        return scanner.path();
      case '(':
        return this.#tuple([]);
      case '{':
        return this.#dictionary();
      case '[':
        return this.#nested(() => this.#anyList());
    }
    if (scanner.startsNumber()) return scanner.number();
    const word = scanner.word();
    if (word === 'None') return BLOCKED;
    if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true';
    if (word === '') scanner.fail('expected a value');
    return word;
  }

  /** Reads values by their time codes, in braces. */
  timeSamples(type: string, isArray: boolean): TimeSamples {
    const scanner = this.#scanner;
    const samples: (readonly [number, TextValue])[] = [];
    this.block(() => {
      const time = scanner.number();
      scanner.expect(':');
      scanner.stayOnLine();
      samples.push([time, this.ofType(type, isArray)]);
      if (!scanner.take(',') && scanner.peek() !== '}')
        scanner.fail('expected "," or "}" after a time sample');
    });
    samples.sort(([a], [b]) => a - b);
    return new TimeSamples(
      samples.map(([time]) => time),
      (index) => samples[index]?.[1] ?? BLOCKED,
    );
  }

  #blocked(): typeof BLOCKED {
    this.#scanner.word();
    return BLOCKED;
  }

  #truth(): boolean {
    const scanner = this.#scanner;
    if (scanner.startsNumber()) return scanner.number() !== 0;
    const word = (/["']/.test(scanner.peek()) ? scanner.string() : scanner.word()).toLowerCase();
    if (!/^(?:true|false|yes|no)$/.test(word)) scanner.fail(`expected true or false, not "${word}"`);
    return word === 'true' || word === 'yes';
  }

  #numberOf(type: string): number {
    const number = this.#scanner.number();
    const [least, most] = RANGES[type] ?? [-Infinity, Infinity];
    if (number < least || number > most) this.#scanner.fail(`${number} is out of the range of ${type}`);
    return number;
  }

  #vector({ size, rows }: NumberType): number[] {
    const row = (count: number) => this.#row(count, () => this.#scanner.number());
    return rows === undefined ? row(size) : this.#row(rows, () => row(rows)).flat();
  }

  /** Reads as many items in parentheses. */
  #row<Item>(count: number, item: () => Item): Item[] {
    const scanner = this.#scanner;
    scanner.expect('(');
    const items: Item[] = [];
    while (!scanner.take(')')) {
      items.push(item());
      if (!scanner.take(',') && scanner.peek() !== ')') scanner.fail('expected "," or ")" in a vector');
    }
    if (items.length !== count) scanner.fail(`expected ${count} values in a vector`);
    return items;
  }

  /** Reads numbers in parentheses, which can be in parentheses again, as one flat list. */
  #tuple(numbers: number[]): number[] {
    const scanner = this.#scanner;
    scanner.expect('(');
    this.#nested(() => {
      if (scanner.peek() === ')') scanner.fail('a vector has no numbers');
      while (!scanner.take(')')) {
        if (scanner.peek() === '(') this.#tuple(numbers);
        else numbers.push(scanner.number());
        if (!scanner.take(',') && scanner.peek() !== ')') scanner.fail('expected "," or ")" in a vector');
      }
    });
    return numbers;
  }

  #anyList(): UsdValue {
    const scanner = this.#scanner;
    const items = this.list(() => {
      const value = this.any();
      if (value === BLOCKED) scanner.fail('a list cannot contain None');
      return value;
    });
    return (items.some(Array.isArray) ? items.flat() : items) as UsdAsset[] | string[] | number[];
  }

  #dictionary(): UsdValue {
    const scanner = this.#scanner;
    const dictionary: Record<string, UsdValue> = Object.create(null);
    this.block(() => {
      const type = scanner.word();
      const isArray = scanner.take('[');
      if (isArray) scanner.expect(']');
      scanner.stayOnLine();
      const isQuoted = /["']/.test(scanner.peek());
      const name = isQuoted ? scanner.string() : scanner.word();
      if (type === '' || (name === '' && !isQuoted))
        scanner.fail('expected a type and a name in a dictionary');
      this.equals();
      const value = type === 'dictionary' ? this.#dictionary() : this.ofType(type, isArray);
      if (value !== BLOCKED) dictionary[name] = value;
      if (scanner.peek() !== '}') scanner.endStatement();
    });
    return dictionary;
  }
}
