import { CURATION_FILE, LIMITS, VOCABULARY_TOKEN } from '@bindery/contract/wire';
import { extensionOf } from '@bindery/formats';
import type { CuratedAsset, Curation } from '../curation/curation.ts';
import type { CurationError } from '../failures.ts';
import { type Appearance, appearanceOf } from './appearance.ts';
import type { DiscoveredAsset } from './discovered-library.ts';
import type { ListedFile } from './file-reader.ts';
import type { Closures, LibraryFiles } from './graph/closure.ts';
import { deriveMetadata, type Origins } from './metadata/derive.ts';
import type { Unit } from './units/units.ts';

/** An asset before it is described. */
export interface AssetSource<F extends ListedFile> {
  id: string;
  unit: Unit;
  files: F[];
  /** The name of its folder or file; absent if `bindery.yml` lists its files. */
  name?: string;
}

/** What assets are described from. */
export interface DescriptionContext {
  library: LibraryFiles;
  closures: Closures;
  /** Titles that several assets have: they are kept where they are like the name. */
  copied: ReadonlySet<string>;
}

type ErrorAt = (key: readonly PropertyKey[], message: string) => CurationError;

/** An asset and the origin of each of its values. */
export interface DescribedAsset<F extends ListedFile> {
  asset: DiscoveredAsset<F>;
  from: Origins;
}

/** Builds the manifest entry of one asset from what its author declares, or else from what its files show. */
export function describeAsset<F extends ListedFile>(
  { id, unit, files, name = id }: AssetSource<F>,
  curated: CuratedAsset = {},
  defaults: Curation['defaults'],
  described: DescriptionContext,
  errorAt: ErrorAt,
): DescribedAsset<F> {
  const paths = files.map(({ path }) => path);
  refuseForeignFiles(curated, new Set(paths), errorAt);
  const { files: _globs, kind, format, entry, entryPoints, ...said } = curated;
  const { values, from } = deriveMetadata(unit, described);
  const thumbnail = curated.thumbnail ?? values.thumbnail;
  const shown = appearanceOf({ unit, thumbnail, ...described }, kind);
  const tags = mergeTags(defaults?.tags, curated.tags ?? values.tags, (message) =>
    errorAt(['tags'], message),
  );
  const asset = withoutAbsent({
    id,
    ...withoutAbsent(values),
    ...said,
    category: curated.category ?? defaults?.category ?? values.category,
    license: curated.license === undefined ? (defaults?.license ?? values.license) : curated.license,
    tags,
    kind: shown.kind,
    format: format ?? formatOf(shown, entry),
    entry: entry ?? shown.entry,
    entryPoints: entryPoints ?? shown.entryPoints,
    upstream: name === id ? undefined : { id: name },
    thumbnail,
    files,
  });
  return { asset, from: { ...from, ...originsOf(curated, defaults) } };
}

/** Returns the origins of values from `bindery.yml`. Its defaults apply to what an asset does not declare itself. */
function originsOf(curated: CuratedAsset, defaults: Curation['defaults'] = {}): Origins {
  const of = (values: object, from: string) =>
    Object.fromEntries(
      Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, from]])),
    );
  return { ...of(defaults, `${CURATION_FILE} (defaults)`), ...of(curated, CURATION_FILE) };
}

/** Returns the format that was found or, if the author names another entry, the extension of that file. */
function formatOf(shown: Appearance, entry: string | undefined): string | undefined {
  if (entry === undefined || entry === shown.entry) return shown.format;
  const extension = extensionOf(entry);
  return VOCABULARY_TOKEN.pattern.test(extension) ? extension : undefined;
}

function mergeTags(
  defaults: string[] | undefined,
  own: string[] | undefined,
  error: (message: string) => CurationError,
): string[] | undefined {
  if (defaults === undefined && own === undefined) return undefined;
  const tags = [...new Set([...(defaults ?? []), ...(own ?? [])])];
  if (tags.length > LIMITS.manifest.tags) {
    throw error(
      `with those of defaults there are ${tags.length} tags; at most ${LIMITS.manifest.tags} are allowed`,
    );
  }
  return tags;
}

function refuseForeignFiles(curated: CuratedAsset, own: ReadonlySet<string>, errorAt: ErrorAt): void {
  const named: [PropertyKey[], string | undefined][] = [
    [['entry'], curated.entry],
    [['thumbnail'], curated.thumbnail],
    ...Object.entries(curated.entryPoints ?? {}).map(([name, { file }]): [PropertyKey[], string] => [
      ['entryPoints', name, 'file'],
      file,
    ]),
  ];
  for (const [key, path] of named) {
    if (path !== undefined && !own.has(path)) {
      throw errorAt(
        key,
        `${JSON.stringify(path)} is not one of the asset's files; paths are relative to the library's folder`,
      );
    }
  }
}

function withoutAbsent<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;
}
