import type { EmptyingFilters, RelevanceFacets, UnderstoodPart } from '@bindery/contract';
import {
  describeRange,
  isMeasure,
  type Measure,
  readRange,
  type SearchFacet,
  type SearchFilter,
  writeRange,
} from '@bindery/contract/wire';
import { type Parse, UsageProblem } from '../../command.ts';
import { formatCount, sanitizeLine } from '../../output/text.ts';

/** What one of these is in the unit of its filter. */
const UNITS: Readonly<Record<Measure, Readonly<Record<string, number>>>> = {
  bytes: { '': 1, B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
  height: { '': 1, mm: 0.001, cm: 0.01, m: 1 },
  extent: { '': 1, mm: 0.001, cm: 0.01, m: 1 },
  mass: { '': 1, g: 0.001, kg: 1 },
  joints: { '': 1 },
  triangles: { '': 1, k: 1e3, M: 1e6 },
};

/** Parses a range such as `..5MB`, `1kg..2kg`, `6` into what the service takes. */
export function rangeOf(measure: Measure): Parse<string> {
  const units = UNITS[measure];
  return (text) => {
    const inUnit = text.replaceAll(/(\d+(?:\.\d+)?)\s*([a-z]*)/gi, (_, number: string, unit: string) => {
      const size = units[unit];
      if (size === undefined)
        throw new UsageProblem(
          `${unit} is no unit here; use ${Object.keys(units).filter(Boolean).join(', ')}`,
        );
      return String(Number((Number(number) * size).toPrecision(12)));
    });
    const range = readRange(inUnit);
    if (range === null) throw new UsageProblem('expected a number or a range, such as 2..5, 2.. or ..5');
    return writeRange(range);
  };
}

/** What one value of a filter is called, and several. */
const NAMES: Readonly<Record<SearchFilter, readonly [one: string, several: string]>> = {
  kind: ['kind', 'kinds'],
  category: ['category', 'categories'],
  license: ['licence', 'licences'],
  tag: ['tag', 'tags'],
  format: ['format', 'formats'],
  author: ['author', 'authors'],
  has: ['feature', 'features'],
  bytes: ['size', 'sizes'],
  height: ['height', 'heights'],
  extent: ['extent', 'extents'],
  mass: ['mass', 'masses'],
  joints: ['number of joints', 'numbers of joints'],
  triangles: ['number of triangles', 'numbers of triangles'],
  library: ['library', 'libraries'],
};

/** Maximum number of values shown per facet; `--json` has them all. */
const MAX_SHOWN = 10;

/** Which parts of the query were read as filters, and how to have them searched for as words. */
export function understoodNote(understood: readonly UnderstoodPart[]): string {
  const parts = understood.map(
    ({ text, filter, values }) =>
      `"${sanitizeLine(text)}" (${NAMES[filter][0]} ${values.map((value) => valueText(filter, value)).join(' or ')})`,
  );
  const [first] = understood;
  return `Filtered by ${parts.join(', ')}. To search for the words instead: --as-words "${sanitizeLine(first?.text ?? '')}".`;
}

/** What to say if the service had no room to search all libraries. */
export function partialNote({ searched, libraries }: { searched: number; libraries: number }): string {
  return (
    `Searched ${formatCount(searched, 'library', 'libraries')} of ${libraries}: the service is still preparing the others, ` +
    'or has no memory for them. Search again in a minute, or name libraries with --library.'
  );
}

/** Because of which filters nothing was found, and what there is instead. */
export function emptiedNotes(emptied: readonly EmptyingFilters[]): string[] {
  return emptied.flatMap(({ filters, hits }) => {
    const [only] = filters;
    const without = hits === 1 ? 'there is 1 hit' : `there are ${hits} hits`;
    if (filters.length !== 1 || only === undefined) {
      const names = new Intl.ListFormat('en').format(filters.map(({ filter }) => NAMES[filter][0]));
      return `Nothing passes these filters together (${names}); without them ${without}.`;
    }
    const { filter, existing, unmeasured } = only;
    const [one, several] = NAMES[filter];
    const shown = existing.map(({ value }) => valueText(filter, value)).join(', ');
    const instead = shown === '' ? `No ${one} is stated here.` : `The ${several} here are: ${shown}.`;
    const unknown =
      unmeasured > 0
        ? ` ${unmeasured} of them ${unmeasured === 1 ? 'was' : 'were'} never measured: pushing again does that.`
        : '';
    return `Nothing has this ${one}. ${instead} Without it ${without}.${unknown}`;
  });
}

/** `kind: mjcf 12, urdf 3`: how many hits each value has, or would have if it were selected. */
export function facetLines(facets: RelevanceFacets): string[] {
  return (Object.entries(facets) as [SearchFacet, RelevanceFacets[SearchFacet]][]).flatMap(
    ([facet, values]) => {
      if (values.length === 0) return [];
      const shown = values
        .slice(0, MAX_SHOWN)
        .map(({ value, count }) => `${valueText(facet, value)}${isMeasure(facet) ? ':' : ''} ${count}`);
      const more = values.length - shown.length;
      return `${facet}: ${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
    },
  );
}

function valueText(facet: SearchFacet, value: string): string {
  return sanitizeLine(isMeasure(facet) ? describeRange(facet, value) : value);
}
