import { UnreadableFileError } from '../files/unreadable.ts';
import type { FbxArray, FbxFile, FbxRecord, FbxValue } from './record.ts';

const HEAD_LINES = /^\s*(?:;[^\n]*\n\s*)*(?:FBXHeaderExtension|FBXVersion|Creator|Objects|Definitions)\s*:/;

/** Whether the beginning of a text is that of an FBX file. */
export function isTextFbx(head: string): boolean {
  return /^\s*;\s*FBX\s+\d/.test(head) || HEAD_LINES.test(head);
}

/** Reads FBX as text. `admit` is called for each record with its depth, and may throw. */
export function readTextFbx(text: string, admit: (depth: number) => void): FbxFile {
  const records = new TextReader(text, admit).records(1);
  const header = records.find(({ name }) => name === 'FBXHeaderExtension');
  const stated = header?.children.find(({ name }) => name === 'FBXVersion')?.values[0];
  const inComment = /;\s*FBX\s+(\d+)\.(\d+)\.(\d+)/.exec(text.slice(0, 1_000));
  const [, major = 0, minor = 0, patch = 0] = inComment?.map(Number) ?? [];
  const version = typeof stated === 'number' ? stated : major * 1_000 + minor * 100 + patch * 10;
  return { version, records };
}

interface TextRecord extends FbxRecord {
  readonly values: FbxValue[];
  children: FbxRecord[];
}

const NUMBER = /^[-+.\d]/;
const WHOLE = /^-?\d{16,}$/;

class TextReader {
  readonly #text: string;
  readonly #admit: (depth: number) => void;
  #at = 0;

  constructor(text: string, admit: (depth: number) => void) {
    this.#text = text;
    this.#admit = admit;
  }

  /** The records up to a closing brace or the end. */
  records(depth: number): FbxRecord[] {
    const records: FbxRecord[] = [];
    for (;;) {
      this.#skipSpace();
      const character = this.#text[this.#at];
      if (character === undefined) {
        if (depth > 1) throw new UnreadableFileError('is cut off');
        return records;
      }
      if (character === '}') {
        this.#at++;
        return records;
      }
      const name = this.#word();
      this.#skipSpace();
      if (this.#at >= this.#text.length) throw new UnreadableFileError('is cut off');
      if (name === '' || this.#text[this.#at] !== ':')
        throw new UnreadableFileError(`is not FBX from line ${this.#line()} on`);
      this.#at++;
      this.#admit(depth);
      records.push(this.#record(name, depth));
    }
  }

  #record(name: string, depth: number): FbxRecord {
    const record: TextRecord = { name, values: [], children: [] };
    for (;;) {
      this.#skipSpace();
      const character = this.#text[this.#at];
      if (character === ',') {
        this.#at++;
        continue;
      }
      if (character === '{') {
        this.#at++;
        record.children = this.records(depth + 1);
        return record;
      }
      const start = this.#at;
      const value = this.#value();
      if (value === undefined) {
        this.#at = start;
        return record;
      }
      record.values.push(value);
      this.#skipSpace();
      if (this.#text[this.#at] !== ',' && this.#text[this.#at] !== '{') return record;
    }
  }

  /** The next value; undefined if a record, a closing brace or the end follows. */
  #value(): FbxValue | undefined {
    const character = this.#text[this.#at];
    if (character === '"') return this.#string();
    if (character === '*') return this.#array();
    const word = this.#word();
    if (word === '') return undefined;
    if (NUMBER.test(word)) return WHOLE.test(word) ? BigInt(word) : Number(word);
    this.#skipSpace();
    return this.#text[this.#at] === ':' ? undefined : word;
  }

  #string(): string {
    const end = this.#text.indexOf('"', this.#at + 1);
    if (end < 0) throw new UnreadableFileError('is cut off inside a text');
    const written = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    return written.includes('&')
      ? written.replaceAll('&quot;', '"').replaceAll('&lf;', '\n').replaceAll('&cr;', '\r')
      : written;
  }

  /** `*3 { a: 1,2,3 }` */
  #array(): FbxArray {
    const start = this.#text.indexOf('{', this.#at);
    const end = this.#text.indexOf('}', start);
    if (start < 0 || end < 0) throw new UnreadableFileError('is cut off inside a list of numbers');
    this.#at = end + 1;
    const list = this.#text.slice(start + 1, end);
    return writtenNumbers(list.slice(list.indexOf(':') + 1));
  }

  #word(): string {
    const start = this.#at;
    while (!isEnd(this.#text.charCodeAt(this.#at))) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #skipSpace(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === SEMICOLON) {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end < 0 ? this.#text.length : end + 1;
      } else if (code <= 32 || code === 0xfeff) this.#at++;
      else return;
    }
  }

  #line(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }
}

const SEMICOLON = 59;

/** Whether a character (NaN behind the last one) ends a word. */
function isEnd(code: number): boolean {
  return (
    !(code > 32) ||
    code === 34 || // "
    code === 44 || // ,
    code === 58 || // :
    code === SEMICOLON ||
    code === 123 || // {
    code === 125 // }
  );
}

/** Numbers of a text, with commas between them. */
function writtenNumbers(text: string): FbxArray {
  // A digit and a comma each.
  const length = Math.ceil(text.length / 2);
  const numbers = () => {
    const out = new Float64Array(length);
    const list = text.replace(/;[^\n]*/g, '');
    let count = 0;
    for (let at = 0; at < list.length; ) {
      const comma = list.indexOf(',', at);
      const next = comma < 0 ? list.length : comma;
      const written = list.slice(at, next).trim();
      if (written !== '') out[count++] = Number(written);
      at = next + 1;
    }
    return out.subarray(0, count);
  };
  return { length, numbers };
}
