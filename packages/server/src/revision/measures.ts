import { MEASURES, type Measure, readStatistics } from '@bindery/contract';
import { FORMATS } from '@bindery/formats';
import type { TabledAsset } from './asset-table.ts';
import { type Sections, sectionOf } from './sections.ts';

/** What the assets of a revision measure, by number; NaN where it is not known. */
export type Measures = Readonly<Record<Measure, Float64Array>>;

/** Returns the measures among the sections of a revision; null if the revision was registered without them. */
export function openMeasures(sections: Sections): Measures | null {
  if (!(measureSection('bytes') in sections)) return null;
  return Object.fromEntries(
    MEASURES.map((measure) => [measure, sectionOf(sections, measureSection(measure), 'Float64Array')]),
  ) as Measures;
}

/** Returns the sections of the measures. */
export function encodeMeasures(measured: readonly MeasuredAsset[]): Sections {
  return Object.fromEntries(
    MEASURES.map((measure) => [
      measureSection(measure),
      Float64Array.from(measured, (values) => values[measure] ?? Number.NaN),
    ]),
  );
}

/** Returns the sections of the measures of several revisions, one after the other. */
export function joinMeasures(joined: readonly Measures[]): Sections {
  return Object.fromEntries(
    MEASURES.map((measure) => {
      const all = new Float64Array(joined.reduce((sum, { bytes }) => sum + bytes.length, 0));
      let end = 0;
      for (const measures of joined) {
        all.set(measures[measure], end);
        end += measures[measure].length;
      }
      return [measureSection(measure), all];
    }),
  );
}

/** Returns the name of the section of a measure. */
export function measureSection(measure: Measure): string {
  return `measures.${measure}`;
}

/** Whether nothing but the size of its files is known of an asset: a mesh that was measured has no joints, but triangles. */
export function isUnmeasured(measures: Measures, asset: number): boolean {
  return MEASURES.every((measure) => measure === 'bytes' || Number.isNaN(measures[measure][asset]));
}

export type MeasuredAsset = { readonly [measure in Measure]?: number | undefined };

/** Returns what an asset measures. A robot without joints that move has none; of other models it is not known. */
export function measureAsset({ card, remainder }: Pick<TabledAsset, 'card' | 'remainder'>): MeasuredAsset {
  const { size, up, joints, bodies, mass, triangles } = readStatistics(remainder.meta);
  return {
    bytes: card.files.bytes,
    height: size?.[(up ?? usualUp(card)) === 'y' ? 1 : 2],
    extent: size && Math.max(...size),
    mass,
    joints: joints ?? (bodies === undefined ? undefined : 0),
    triangles,
  };
}

/** Formats of pictures that have a unit, so that their size is known. */
const Y_UP = new Set(
  FORMATS.filter(({ isMetric, up }) => isMetric && up === undefined).flatMap(({ extensions }) => extensions),
);

/** The axis that points up in an asset that was measured without it, as a rule: Y in pictures, Z in robots. */
function usualUp({ kind, format, entry }: TabledAsset['card']): 'y' | 'z' {
  const names = [format ?? '', entry?.split('.').at(-1)?.toLowerCase() ?? ''];
  return kind === 'mesh' && names.some((name) => Y_UP.has(name)) ? 'y' : 'z';
}
