import {
  asFloat,
  asInteger,
  entryOf,
  fixed,
  isDictionary,
  MAX_LENGTH,
  MacroError,
  numberOf,
  representationOf,
  textOf,
  type Value,
} from './values.ts';

const MAX_WIDTH = 1_000;

/** Formats values into a text by `%`, as in `'%02d_%s' % (1, 'left')`. */
export function formatPercent(template: string, given: Value): string {
  const values = Array.isArray(given) ? [...given].reverse() : [given];
  let length = 0;
  return template.replace(
    /%(?:%|(?:\((\w+)\))?([-+ #0]*)([1-9]\d*)?(?:\.(\d+))?([a-zA-Z]))/g,
    (all, name?: string, flags = '', width = '', precision?: string, type = '') => {
      if (all === '%%') return '%';
      const value =
        name === undefined ? values.pop() : isDictionary(given) ? entryOf(given, name) : undefined;
      if (value === undefined) throw new MacroError(`nothing is given for ${all}`);
      const align = flags.includes('-') ? '<' : flags.includes('0') ? '0' : '>';
      const text = padded(converted(value, type, precision, flags.includes('+')), width, align);
      length += text.length;
      if (length > MAX_LENGTH) throw new MacroError('a text or list is too long');
      return text;
    },
  );
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
      return sign + fixed(asFloat(value), digits);
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
  if (power < -4 || power >= digits) return exponential(value, digits - 1).replace(/\.?(?<!0)0+e/, 'e');
  const text = value.toFixed(Math.max(0, digits - 1 - power));
  return text.includes('.') ? text.replace(/\.?(?<!0)0+$/, '') : text;
}

function padded(text: string, width: string, align: string): string {
  const size = Math.min(MAX_WIDTH, Number(width || 0));
  if (align === '<') return text.padEnd(size);
  if (align === '>') return text.padStart(size);
  const sign = /^[-+]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(size - sign.length, '0');
}
