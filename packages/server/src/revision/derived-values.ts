import {
  classesOfLicense,
  type Feature,
  MEASURES,
  type Measure,
  type MeasureRange,
  readRange,
  readStatistics,
} from '@bindery/contract';
import type { TabledAsset } from './asset-table.ts';
import type { Facet } from './keywords/keyword-index.ts';
import { type MeasuredAsset, measureAsset } from './measures.ts';

/** What searches by relevance filter by and count: the values of the specification, and those of `valuesOf`. */
export type ValueFacet = Facet | 'licenseClass' | 'format' | 'author' | 'has' | Measure;

type Value = readonly [facet: ValueFacet, value: string];

/** Returns the values that an asset has beyond those of the specification. */
export function valuesOf(asset: Omit<TabledAsset, 'files' | 'thumbnail'>): Value[] {
  const { card, remainder } = asset;
  return [
    ...classesOfLicense(card.license).map((name): Value => ['licenseClass', name]),
    ...(card.format === null ? [] : [['format', card.format] as const]),
    ...authorsOf(remainder.attribution ?? '').map((name): Value => ['author', name]),
    ...featuresOf(asset).map((feature): Value => ['has', feature]),
    ...rangesOf(measureAsset(asset)),
  ];
}

/** What a search for assets with a feature finds. */
function featuresOf({ remainder, isCertified }: Pick<TabledAsset, 'remainder' | 'isCertified'>): Feature[] {
  const { textures = 0, animations = 0 } = readStatistics(remainder.meta);
  return [
    ...(textures > 0 ? (['texture'] as const) : []),
    ...(animations > 0 ? (['animation'] as const) : []),
    ...(isCertified ? (['certified'] as const) : []),
  ];
}

/** The ranges in which assets are counted. */
export const COUNTED_RANGES: Readonly<Record<Measure, readonly string[]>> = {
  bytes: ['..1000000', '1000000..10000000', '10000000..100000000', '100000000..'],
  height: ['..0.1', '0.1..0.5', '0.5..2', '2..10', '10..'],
  extent: ['..0.1', '0.1..0.5', '0.5..2', '2..10', '10..'],
  mass: ['..1', '1..10', '10..100', '100..'],
  joints: ['0', '1..3', '4..7', '8..20', '21..'],
  triangles: ['..1000', '1000..10000', '10000..100000', '100000..1000000', '1000000..'],
};

const RANGES = MEASURES.map((measure) => ({
  measure,
  ranges: COUNTED_RANGES[measure].map((text) => ({ text, ...(readRange(text) as MeasureRange) })),
}));

function rangesOf(measured: MeasuredAsset): Value[] {
  return RANGES.flatMap(({ measure, ranges }) => {
    const value = measured[measure] ?? Number.NaN;
    return ranges
      .filter(({ least, most }) => value >= least && value <= most)
      .map(({ text }): Value => [measure, text]);
  });
}

/** At most this many authors of an asset count. */
const MAX_AUTHORS = 8;

/** What stands in an attribution beside names. */
const NO_NAMES =
  /\(c\)|©|\bcopyright\b|\ball rights reserved\b|\b(?:19|20)\d\d\b|<[^>]*>|\S+@\S+\.\S+|https?:\S+|\bpublic(?= *:)|\bby\b|[()[\]"]/gi;

/** Returns the names in an attribution, such as `(c) 2017 Microsoft: Ann Lee for Everything, CC0 1.0 Universal`. */
export function authorsOf(attribution: string): string[] {
  const names = attribution
    .replaceAll(NO_NAMES, ' ')
    .split(/[;,:|\n]|\s(?:and|&)\s|\s-\s/i)
    .map((part) =>
      part
        .replace(/\sfor\s.*/i, '')
        .replaceAll(/\s+/g, ' ')
        .replaceAll(/^[\s.\-–]+|[\s.\-–]+$/g, ''),
    )
    .filter((name) => isName(name));
  return [...new Set(names)].slice(0, MAX_AUTHORS);
}

/** Not a sentence, and not a licence. */
function isName(name: string): boolean {
  return (
    /\p{L}{2}/u.test(name) &&
    name.split(' ').length <= 5 &&
    !/\b(licen[cs]e|cc|cc0|mit|gpl|bsd)\b/i.test(name)
  );
}
