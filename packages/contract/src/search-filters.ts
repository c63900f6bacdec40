import { LICENSE_CLASSES } from './license-classes.ts';

/** What assets are filtered by and counted by, apart from what they measure. */
export const VALUE_FILTERS = ['kind', 'category', 'license', 'tag', 'format', 'author', 'has'] as const;

/**
 * What assets measure, and so are filtered by ranges of: `bytes` of the download, `height` and `extent` (the longest
 * side) in metres, `mass` in kilograms, `joints` that move, `triangles`. All but `bytes` are only known of assets that
 * were measured by a push.
 */
export const MEASURES = ['bytes', 'height', 'extent', 'mass', 'joints', 'triangles'] as const;
export type Measure = (typeof MEASURES)[number];

/** The filters of a search by relevance. */
export const SEARCH_FILTERS = [...VALUE_FILTERS, ...MEASURES, 'library'] as const;
export type SearchFilter = (typeof SEARCH_FILTERS)[number];

/** What the hits of a search by relevance are counted by: its filters, and the classes of licences, which `license` takes too. */
export const SEARCH_FACETS = [...SEARCH_FILTERS, 'licenseClass'] as const;
export type SearchFacet = (typeof SEARCH_FACETS)[number];

/** What the models of an asset can have; `certified` ones have a certificate of simulation by their publisher. */
export const FEATURES = ['texture', 'animation', 'certified'] as const;
export type Feature = (typeof FEATURES)[number];

export function isMeasure(filter: SearchFacet): filter is Measure {
  return MEASURES.some((measure) => measure === filter);
}

/** Whether a filter value is the name of a class of licences rather than a licence. */
export function isLicenseClass(value: string): boolean {
  return LICENSE_CLASSES.some((name) => name === value.toLowerCase());
}

/** Both ends included; an open end is 0 or infinite. */
export interface MeasureRange {
  least: number;
  most: number;
}

const RANGE = /^(\d{1,15}(?:\.\d{1,9})?)?(\.\.)?(\d{1,15}(?:\.\d{1,9})?)?$/;

/** Reads `2..5`, `2..`, `..5` or `2`; null for anything else. */
export function readRange(text: string): MeasureRange | null {
  const [whole, least, dots, most] = RANGE.exec(text) ?? [];
  if (!whole || whole === '..' || (dots === undefined && most !== undefined)) return null;
  if (dots === undefined) return { least: Number(least), most: Number(least) };
  const range = { least: Number(least ?? 0), most: Number(most ?? Number.POSITIVE_INFINITY) };
  return range.least <= range.most ? range : null;
}

/** The inverse of `readRange`. */
export function writeRange({ least, most }: MeasureRange): string {
  if (least === most) return String(least);
  return `${least > 0 ? least : ''}..${most < Number.POSITIVE_INFINITY ? most : ''}`;
}

/** A range for people to read: `up to 5 MB`, `27–33 cm`, `6`; what is no range comes back as it is. */
export function describeRange(measure: Measure, text: string): string {
  const range = readRange(text);
  if (range === null) return text;
  const { least, most } = range;
  const [unit, size] = unitOf(measure, most < Number.POSITIVE_INFINITY ? most : least);
  const amount = (value: number) => Number((value / size).toPrecision(3)).toLocaleString('en');
  const after = unit === '' ? '' : ` ${unit}`;
  if (least === most) return `${amount(least)}${after}`;
  if (most === Number.POSITIVE_INFINITY) return `from ${amount(least)}${after}`;
  return least === 0 ? `up to ${amount(most)}${after}` : `${amount(least)}–${amount(most)}${after}`;
}

const UNITS: Readonly<Partial<Record<Measure, readonly (readonly [unit: string, size: number])[]>>> = {
  bytes: [
    ['GB', 1e9],
    ['MB', 1e6],
    ['kB', 1e3],
    ['bytes', 1],
  ],
  height: [
    ['m', 1],
    ['cm', 0.01],
    ['mm', 0.001],
  ],
  extent: [
    ['m', 1],
    ['cm', 0.01],
    ['mm', 0.001],
  ],
  mass: [
    ['kg', 1],
    ['g', 0.001],
  ],
};

/** Returns the largest unit of which the value is one or more. */
function unitOf(measure: Measure, value: number): readonly [unit: string, size: number] {
  const units = UNITS[measure] ?? [['', 1]];
  return units.find(([, size]) => value >= size) ?? units.at(-1) ?? ['', 1];
}
