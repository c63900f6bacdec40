import type { Selectable } from 'kysely';
import type { Database } from '../../database/schema.ts';
import type { SearchedLibrariesTable, SearchIndexTable } from '../../database/tables/libraries.ts';
import type { Published } from './search-engine.ts';

/** The only row of `search_index`. */
export const ROW = 'search';

/** The hash of the index of a library that exists, but of which the engine has nothing. */
export const NOTHING = '';

export type SearchIndexRow = Selectable<SearchIndexTable>;
export type SearchedLibrary = Selectable<SearchedLibrariesTable>;

/** What a search needs to know of a library in the engine; how its phrases are shared is read where it is asked for. */
type KnownLibrary = Omit<SearchedLibrary, 'shared_phrases'>;

const KNOWN = [
  'library_id',
  'number',
  'sequence',
  'store_id',
  'index_sha256',
  'asset_count',
  'vectors_model',
  'vectors_version',
] as const satisfies readonly (keyof SearchedLibrary)[];

/** The publications that were begun and not completed, in their order. */
export function unfinishedOf({ unfinished }: Pick<SearchIndexRow, 'unfinished'>): number[] {
  return JSON.parse(unfinished);
}

/** Rows that one statement reads. */
const ROWS_AT_ONCE = 1_000;

/** What the engine has of every library, as the database has it. A search reads again only what was published since. */
export class EngineState {
  #index: string | null = null;
  #read = -1;
  readonly #libraries = new Map<string, KnownLibrary>();

  /** Returns what is complete; null if there is no index of this version. */
  async read(
    db: Database,
    mapping: number,
  ): Promise<(Published & { libraries: ReadonlyMap<string, KnownLibrary> }) | null> {
    const row = await db
      .selectFrom('search_index')
      .select(['name', 'mapping', 'sequence', 'unfinished'])
      .where('id', '=', ROW)
      .executeTakeFirst();
    if (!row || row.name === '' || row.mapping !== mapping) return null;
    const { sequence } = row;
    if (row.name !== this.#index) {
      this.#libraries.clear();
      this.#index = row.name;
      this.#read = -1;
    }
    if (this.#read < sequence) await this.#readSince(db, sequence);
    return { index: row.name, sequence, unfinished: unfinishedOf(row), libraries: this.#libraries };
  }

  /** A library that was published yet again since has a later sequence, and counts as absent until that is complete. */
  async #readSince(db: Database, sequence: number): Promise<void> {
    let last: { sequence: number; library_id: string } | null = null;
    for (;;) {
      const from: { sequence: number; library_id: string } = last ?? {
        sequence: this.#read + 1,
        library_id: '',
      };
      const rows = await db
        .selectFrom('searched_libraries')
        .select(KNOWN)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple('sequence', 'library_id'), '>', tuple(from.sequence, from.library_id)),
        )
        .orderBy('sequence')
        .orderBy('library_id')
        .limit(ROWS_AT_ONCE)
        .execute();
      for (const row of rows) this.#libraries.set(row.library_id, row);
      const end = rows.at(-1);
      if (end === undefined || rows.length < ROWS_AT_ONCE) break;
      last = { sequence: end.sequence, library_id: end.library_id };
    }
    this.#read = sequence;
  }
}
