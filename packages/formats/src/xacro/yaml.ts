import { parseDocument, type ScalarTag, type Tags } from 'yaml';
import { decodeText } from '../files/text.ts';
import { asFloat, MacroError, type Value } from './values.ts';

const MAX_BYTES = 256 * 1024;

/** The units in which YAML can state a number, in radians and metres. */
const UNITS: Readonly<Record<string, number>> = {
  '!radians': 1,
  '!degrees': Math.PI / 180,
  '!meters': 1,
  '!millimeters': 0.001,
  '!foot': 0.3048,
  '!inches': 0.0254,
};

/** In YAML 1.1 `y` and `n` are truth values, too, but not for Python, and robots have coordinates of that name. */
const BOOLEAN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:yes|no|true|false|on|off)$/i,
  resolve: (text) => /^(?:y|t|on)/i.test(text),
};

/** For Python a number with an exponent also has a dot and the sign of the exponent; `1e3` is a text. */
const EXPONENT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  default: true,
  format: 'EXP',
  test: /^[-+]?(?:\d[\d_]*\.[\d_]*|\.\d[\d_]*)[eE][-+]\d+$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

function isReplaced(tag: Tags[number]): boolean {
  if (typeof tag !== 'object') return false;
  return tag.tag === BOOLEAN.tag || (tag.tag === EXPONENT.tag && 'format' in tag && tag.format === 'EXP');
}

/**
 * Reads YAML as Python's `yaml.safe_load` does: version 1.1, whole numbers as ints. `evaluate` is for numbers with units,
 * which are expressions. Each call of what it returns makes the values anew.
 */
export function readYaml(bytes: Uint8Array, evaluate: (text: string) => Value): () => Value {
  const units = Object.entries(UNITS).map(
    ([tag, unit]): ScalarTag => ({ tag, resolve: (text) => asFloat(evaluate(text)) * unit }),
  );
  const customTags = (tags: Tags) => [BOOLEAN, EXPONENT, ...tags.filter((tag) => !isReplaced(tag)), ...units];
  if (bytes.byteLength > MAX_BYTES) throw new MacroError(`YAML of more than ${MAX_BYTES / 1024} KiB`);
  const document = parseDocument(decodeText(bytes), {
    // Of two values of one key the last counts.
    uniqueKeys: false,
    ...{ version: '1.1', schema: 'yaml-1.1', intAsBigInt: true, merge: true, customTags, logLevel: 'silent' },
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) throw new MacroError(`not valid YAML: ${error.message.slice(0, 120)}`);
  try {
    const read: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 100 });
    return () => macroValue(read);
  } catch {
    throw new MacroError('YAML whose aliases stand for too much');
  }
}

function macroValue(read: unknown): Value {
  if (Array.isArray(read)) return read.map(macroValue);
  if (read instanceof Map)
    return new Map([...read].map(([key, value]) => [macroValue(key), macroValue(value)]));
  if (read === undefined || read === null) return null;
  if (['bigint', 'number', 'boolean', 'string'].includes(typeof read)) return read as Value;
  return String(read);
}
