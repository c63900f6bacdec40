import { randomUUID } from 'node:crypto';
import { findRevision, type RevisionRow } from '../../access/libraries.ts';
import type { SearchContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { unlessLost } from '../../objects/damaged.ts';
import { type RelevanceIndex, servesRelevance } from '../../revision/revision-index.ts';
import { openWithWords } from '../relevance/sources.ts';
import type { ConnectedEngine } from './connected-engine.ts';
import { compared, nextNumber, queueDifferences, searchedLibrary } from './differing.ts';
import { NOTHING, ROW, type SearchedLibrary, type SearchIndexRow, unfinishedOf } from './engine-state.ts';
import { makeDocuments } from './make-documents.ts';
import { vectorsOf } from './read-vectors.ts';
import { EngineUnavailable, type Published } from './search-engine.ts';

/** Milliseconds for which one server feeds the engine: longer than any of its steps takes. */
const HOLD = 120_000;

/** Milliseconds after which the index is looked at again, and the engine held for longer, though nothing has changed. */
const CHECK_EVERY = HOLD / 4;

/** Milliseconds between two comparisons of all libraries with what the engine has. */
const COMPARE_EVERY = 60 * 60_000;

/** Milliseconds for which retired assets stay, so that searches that have begun still find them. */
const RETIRED_FOR = 5 * 60_000;

/** How many unfinished publications are remembered, all of them undone before: as many as may yet be written late. */
const MAX_UNFINISHED = 100;

/** How many libraries and assets become visible together. */
const LIBRARIES_AT_ONCE = 200;
const ASSETS_AT_ONCE = 20_000;

type FeedContext = SearchContext & { engine: ConnectedEngine };

/** A library as it is once a publication is complete; null if it is gone. */
interface PublishedLibrary {
  libraryId: string;
  changes: number;
  row: Omit<SearchedLibrary, 'library_id' | 'sequence'> | null;
}

/** Keeps the number of a library of which the engine has nothing from being given to another. */
const WITHDRAWN: Omit<SearchedLibrary, 'library_id' | 'sequence' | 'number'> = {
  store_id: '',
  index_sha256: NOTHING,
  asset_count: 0,
  vectors_model: null,
  vectors_version: null,
  shared_phrases: '[]',
};

/**
 * Feeds the engine what was queued, in publications that become visible whole, by one row. Of several servers one does
 * so at a time. What another server, or this one, has not finished is undone and done again.
 */
export class EngineFeeder {
  readonly #holder = randomUUID();
  readonly #context: FeedContext;
  #isClean = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** Libraries that could not be written, and are left out until all are compared again, so that others are. */
  readonly #unreadable = new Set<string>();
  /** Publications that retired something, each with when it was complete. */
  #retired: { sequence: number; at: number }[] = [];

  constructor(context: FeedContext) {
    this.#context = context;
  }

  /** Publishes what is queued. Throws `EngineUnavailable`; the next run continues. */
  async run(isStopped: () => boolean): Promise<void> {
    if (await this.#hasNothingToDo()) return;
    const held = (await this.#hold()) ?? (await this.#takeOver());
    if (held === null) return;
    // A step can take longer than the engine is held.
    const holding = setInterval(() => void this.#hold().catch(() => null), CHECK_EVERY);
    try {
      let row = await this.#withIndex(held);
      if (row === null) return;
      if (!this.#isClean) await this.#begin(row);
      await this.#compare();
      while (!isStopped()) {
        const next = await this.#publish(row, isStopped);
        if (next === null) break;
        row = next;
      }
      await this.#deleteRetired(row);
    } catch (error) {
      this.#isClean = false;
      throw error;
    } finally {
      clearInterval(holding);
    }
  }

  /** Whether another server holds the engine, or nothing has changed: then nothing is written. */
  async #hasNothingToDo(): Promise<boolean> {
    const { db, clock, engine } = this.#context;
    const now = clock();
    const row = await db.selectFrom('search_index').selectAll().where('id', '=', ROW).executeTakeFirst();
    if (!row) return false;
    // A server of a newer version feeds it.
    if (row.mapping > engine.port.mapping) return true;
    if (row.holder !== this.#holder) return row.held_until > now;
    if (!this.#isClean || row.mapping < engine.port.mapping || now >= this.#checkedAt + CHECK_EVERY)
      return false;
    const queued = await db.selectFrom('search_changes').select('library_id').limit(1).executeTakeFirst();
    return queued === undefined;
  }

  /** Lets another server feed the engine. */
  async release(): Promise<void> {
    await this.#context.db
      .updateTable('search_index')
      .set({ holder: '', held_until: 0 })
      .where('holder', '=', this.#holder)
      .execute();
  }

  /** Holds the engine for longer; null if this server does not hold it any more. */
  async #hold(): Promise<SearchIndexRow | null> {
    const { db, clock } = this.#context;
    const row = await db
      .updateTable('search_index')
      .set({ held_until: clock() + HOLD })
      .where('id', '=', ROW)
      .where('holder', '=', this.#holder)
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Returns null if another server holds the engine. Only a run begins so: what it lost is never completed by it. */
  async #takeOver(): Promise<SearchIndexRow | null> {
    const { db, clock } = this.#context;
    const now = clock();
    this.#isClean = false;
    const free = { id: ROW, name: '', mapping: 0, sequence: 0, unfinished: '[]', holder: '', held_until: 0 };
    await db
      .insertInto('search_index')
      .values(free)
      .onConflict((on) => on.doNothing())
      .execute();
    const row = await db
      .updateTable('search_index')
      .set({ holder: this.#holder, held_until: now + HOLD })
      .where('id', '=', ROW)
      .where('held_until', '<=', now)
      .returningAll()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Creates an index where there is none of this version; null if this server no longer holds the engine. */
  async #withIndex(row: SearchIndexRow): Promise<SearchIndexRow | null> {
    const { db, log, clock } = this.#context;
    const { port } = this.#context.engine;
    this.#checkedAt = clock();
    const newest = row.name === '' ? null : await port.newest(row.name);
    // There are publications that were never begun if the database was restored from a backup.
    const isOwn = newest !== null && newest <= Math.max(row.sequence, ...unfinishedOf(row));
    if (row.mapping === port.mapping && isOwn) return row;
    const name = await port.create();
    const created = await db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('search_index')
        .set({ name, mapping: port.mapping, unfinished: '[]' })
        .where('id', '=', ROW)
        .where('holder', '=', this.#holder)
        .returningAll()
        .executeTakeFirst();
      if (!changed) return null;
      await trx.deleteFrom('searched_libraries').execute();
      await queueDifferences(trx, clock());
      return changed;
    });
    const unused = created === null ? name : row.name;
    if (unused !== '') await port.drop(unused);
    if (created === null) return null;
    log.info({ index: name }, 'all libraries are published to a new index of the search engine');
    this.#comparedAt = clock();
    return created;
  }

  /** Undoes what was not finished, and takes over what is to be deleted. */
  async #begin(row: SearchIndexRow): Promise<void> {
    await this.#context.engine.port.undo(row.name, unfinishedOf(row));
    this.#retired = [{ sequence: row.sequence, at: performance.now() }];
    this.#isClean = true;
  }

  /** Queues what differs from the engine: what servers without it have changed, and what vectors were made of since. */
  async #compare(): Promise<void> {
    const { db, clock } = this.#context;
    const now = clock();
    if (now < this.#comparedAt + COMPARE_EVERY) return;
    this.#comparedAt = now;
    this.#unreadable.clear();
    await queueDifferences(db, now);
  }

  /** Begins a publication, of which nothing counts until it is completed; null if another server holds the engine. */
  async #announce(row: SearchIndexRow): Promise<{ row: SearchIndexRow; sequence: number } | null> {
    const unfinished = unfinishedOf(row);
    const sequence = Math.max(row.sequence, ...unfinished) + 1;
    const begun = await this.#context.db
      .updateTable('search_index')
      .set({ unfinished: JSON.stringify([...unfinished, sequence].slice(-MAX_UNFINISHED)) })
      .where('id', '=', ROW)
      .where('holder', '=', this.#holder)
      .where('unfinished', '=', row.unfinished)
      .where('name', '=', row.name)
      .returningAll()
      .executeTakeFirst();
    return begun ? { row: begun, sequence } : null;
  }

  /** Publishes some libraries. Returns the row as it is then; null if nothing is queued, or another server holds it. */
  async #publish(row: SearchIndexRow, isStopped: () => boolean): Promise<SearchIndexRow | null> {
    const { db, log, engine } = this.#context;
    const queued = await db
      .selectFrom('search_changes')
      .selectAll()
      .orderBy('queued_at')
      .orderBy('library_id')
      .limit(LIBRARIES_AT_ONCE)
      .execute();
    if (queued.length === 0) return null;
    const begun = await this.#announce(row);
    if (begun === null) {
      this.#isClean = false;
      return null;
    }
    const { sequence } = begun;
    const at = { index: row.name, sequence, unfinished: unfinishedOf(row) };
    const published: PublishedLibrary[] = [];
    let assets = 0;
    let number = await nextNumber(db);
    const since = performance.now();
    for (const { library_id: libraryId, changes } of queued) {
      if (isStopped() || (await this.#hold()) === null) {
        this.#isClean = false;
        return null;
      }
      const before = await searchedLibrary(db, libraryId);
      const own = before?.number ?? number++;
      const now = await this.#write(at, { libraryId, number: own, before }).catch((error: unknown) => {
        if (!isTransient(error)) this.#unreadable.add(libraryId);
        throw error;
      });
      published.push({ libraryId, changes, row: now });
      assets += now?.asset_count ?? 0;
      if (assets >= ASSETS_AT_ONCE) break;
    }
    await engine.port.refresh(row.name);
    const complete = await this.#complete(begun.row, sequence, published);
    if (complete === null) this.#isClean = false;
    else {
      this.#retired.push({ sequence, at: performance.now() });
      const seconds = Math.round((performance.now() - since) / 1_000);
      log.info(
        { libraries: published.length, assets, seconds },
        'libraries were published to the search engine',
      );
    }
    return complete;
  }

  /** Writes what differs of a library. Returns what the engine has of it then; null if that is nothing. */
  async #write(
    at: Published,
    { libraryId, number, before }: { libraryId: string; number: number; before: SearchedLibrary | null },
  ): Promise<PublishedLibrary['row']> {
    const { engine, db, revisions } = this.#context;
    const isUnreadable = this.#unreadable.has(libraryId);
    const found = await findRevision(db, { id: libraryId });
    const opened = found === null || isUnreadable ? null : await this.#open(found);
    if (opened === null) {
      if (before) await engine.port.retire(at, { library: number, assets: null });
      return found === null ? null : { ...WITHDRAWN, number };
    }
    const { row, index: now } = opened;
    const vectors = vectorsOf(this.#context, row, now);
    const published = {
      number,
      store_id: row.store_id,
      index_sha256: row.index_sha256,
      asset_count: now.assetCount,
      vectors_model: vectors?.model ?? null,
      vectors_version: vectors?.version ?? null,
      shared_phrases: JSON.stringify([...now.words.sharedPhrases]),
    };
    const isSame = before?.store_id === row.store_id && before.index_sha256 === row.index_sha256;
    if (isSame && (vectors === null || before.vectors_version === vectors.version)) {
      const { vectors_model, vectors_version } = before;
      return { ...published, vectors_model, vectors_version };
    }
    const old =
      before?.store_id === row.store_id &&
      before.shared_phrases === published.shared_phrases &&
      before.vectors_version === published.vectors_version
        ? await unlessLost(revisions.load({ storeId: before.store_id, sha256: before.index_sha256 }))
        : null;
    const { added, gone } = await compared(old, now);
    if (before) await engine.port.retire(at, { library: number, assets: gone });
    for await (const documents of makeDocuments(number, now, added, vectors?.read ?? null)) {
      if ((await this.#hold()) === null)
        throw new ServiceError('unavailable', 'Another server feeds the engine.');
      await engine.port.add(at.index, at.sequence, documents);
    }
    return published;
  }

  /** Returns null for a library that is gone or cannot be read: searches open it, and say so. */
  async #open(row: RevisionRow): Promise<{ row: RevisionRow; index: RelevanceIndex } | null> {
    try {
      const opened = await openWithWords(this.#context, row);
      return servesRelevance(opened.index) ? { row: opened.row as RevisionRow, index: opened.index } : null;
    } catch (error) {
      if (error instanceof ServiceError && (error.code === 'content_lost' || error.code === 'not_found'))
        return null;
      throw error;
    }
  }

  /** Makes a publication visible, unless another server holds the engine. */
  async #complete(
    row: SearchIndexRow,
    sequence: number,
    published: readonly PublishedLibrary[],
  ): Promise<SearchIndexRow | null> {
    return this.#context.db.transaction().execute(async (trx) => {
      const complete = await trx
        .updateTable('search_index')
        .set({
          sequence,
          unfinished: JSON.stringify(unfinishedOf(row).filter((number) => number !== sequence)),
        })
        .where('id', '=', ROW)
        .where('holder', '=', this.#holder)
        .where('sequence', '=', row.sequence)
        .where('unfinished', '=', row.unfinished)
        .where('name', '=', row.name)
        .returningAll()
        .executeTakeFirst();
      if (!complete) return null;
      for (const { libraryId, changes, row: now } of published) {
        await trx.deleteFrom('searched_libraries').where('library_id', '=', libraryId).execute();
        if (now)
          await trx
            .insertInto('searched_libraries')
            .values({ ...now, library_id: libraryId, sequence })
            .execute();
        await trx
          .deleteFrom('search_changes')
          .where('library_id', '=', libraryId)
          .where('changes', '=', changes)
          .execute();
      }
      return complete;
    });
  }

  async #deleteRetired(row: SearchIndexRow): Promise<void> {
    const before = performance.now() - RETIRED_FOR;
    const last = this.#retired.findLast(({ at }) => at <= before);
    if (!last) return;
    await this.#context.engine.port.deleteRetired({
      ...{ index: row.name, sequence: last.sequence, unfinished: unfinishedOf(row) },
    });
    this.#retired = this.#retired.filter(({ sequence }) => sequence > last.sequence);
  }
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof EngineUnavailable || (error instanceof ServiceError && error.code === 'unavailable')
  );
}
