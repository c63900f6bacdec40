import {
  asFloat,
  asInteger,
  entryOf,
  isDictionary,
  MacroError,
  numberOf,
  representationOf,
  textOf,
  type Value,
} from './values.ts';

const MAX_WIDTH = 1_000;

/** Formats values into a text by `%`, as in `'%02d_%s' % (1, 'left')`. */
export function formatPercent(template: string, given: Value): string {
  const values = Array.isArray(given) ? [...given] : [given];
  return template.replace(
    /%(?:%|(?:\((\w+)\))?([-+ #0]*)(\d*)(?:\.(\d+))?([a-zA-Z]))/g,
    (all, name?: string, flags = '', width = '', precision?: string, type = '') => {
      if (all === '%%') return '%';
      const value =
        name === undefined ? values.shift() : isDictionary(given) ? entryOf(given, name) : undefined;
      if (value === undefined) throw new MacroError(`nothing is given for ${all}`);
      const align = flags.includes('-') ? '<' : flags.includes('0') ? '0' : '>';
      return padded(converted(value, type, precision, flags.includes('+')), width, align);
    },
  );
}

/** Formats values into a text by braces, as in `'{}_{:02d}'.format('left', 1)`. */
export function formatBraces(
  template: string,
  values: readonly Value[],
  named: ReadonlyMap<string, Value>,
): string {
  let next = 0;
  return template.replace(
    /\{\{|\}\}|\{(\w*)(?:!([rs]))?(?::([^{}]*))?\}/g,
    (all, key?: string, conversion?: string, specification = '') => {
      if (all === '{{' || all === '}}') return all[0] as string;
      const value =
        key === '' ? values[next++] : /^\d+$/.test(key ?? '') ? values[Number(key)] : named.get(key ?? '');
      if (value === undefined) throw new MacroError(`nothing is given for ${all}`);
      return formatted(conversion === 'r' ? representationOf(value) : value, specification);
    },
  );
}

const SPECIFICATION = /^(?:(.)?([<>^=]))?([-+ ])?(0)?(\d*)(?:\.(\d+))?([a-zA-Z%])?$/u;

/** Formats a value as `format` of Python does. */
export function formatted(value: Value, specification: string): string {
  if (specification === '') return textOf(value);
  const parts = SPECIFICATION.exec(specification);
  if (parts === null) throw new MacroError(`the format "${specification}" is unknown`);
  const [, fill, align, sign, zero, width = '', precision, type] = parts;
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const text = converted(
    value,
    type ?? (isNumber && precision !== undefined ? 'g' : 's'),
    precision,
    sign === '+',
  );
  return padded(text, width, align ?? (zero !== undefined ? '0' : isNumber ? '>' : '<'), fill);
}

function converted(value: Value, type: string, precision: string | undefined, isSigned: boolean): string {
  const digits = precision === undefined ? 6 : Math.min(100, Number(precision));
  const sign = isSigned && type !== 's' && Number(numberOf(value)) >= 0 ? '+' : '';
  switch (type) {
    case 's':
      return precision === undefined ? textOf(value) : textOf(value).slice(0, digits);
    case 'r':
      return representationOf(value);
    case 'd':
    case 'i':
      return `${sign}${typeof value === 'number' ? BigInt(Math.trunc(value)) : asInteger(value)}`;
    case 'f':
    case 'F':
      return sign + asFloat(value).toFixed(digits);
    case '%':
      return `${sign}${(asFloat(value) * 100).toFixed(digits)}%`;
    case 'e':
    case 'E': {
      const text = exponential(asFloat(value), digits);
      return sign + (type === 'E' ? text.toUpperCase() : text);
    }
    case 'g':
    case 'G':
      return sign + general(asFloat(value), digits || 1);
    case 'x':
      return asInteger(value).toString(16);
    case 'X':
      return asInteger(value).toString(16).toUpperCase();
    default:
      throw new MacroError(`the format "${type}" is unknown`);
  }
}

function exponential(value: number, digits: number): string {
  return value.toExponential(digits).replace(/e([-+])(\d)$/, 'e$10$2');
}

function general(value: number, digits: number): string {
  if (value === 0) return '0';
  const power = Number(value.toExponential(digits - 1).split('e')[1]);
  if (power < -4 || power >= digits) return exponential(value, digits - 1).replace(/\.?0+e/, 'e');
  const text = value.toFixed(Math.max(0, digits - 1 - power));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

function padded(text: string, width: string, align: string, fill = ' '): string {
  const size = Math.min(MAX_WIDTH, Number(width || 0));
  if (align === '0') {
    const sign = /^[-+]/.exec(text)?.[0] ?? '';
    return sign + text.slice(sign.length).padStart(size - sign.length, '0');
  }
  if (align === '<') return text.padEnd(size, fill);
  if (align !== '^') return text.padStart(size, fill);
  const left = Math.floor(Math.max(0, size - text.length) / 2);
  return text.padStart(text.length + left, fill).padEnd(size, fill);
}
