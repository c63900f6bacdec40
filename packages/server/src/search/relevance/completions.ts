import { type Completions, compareUtf8 } from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import { termOf, textWords } from '../../revision/words/text-words.ts';
import { WORD_FIELD_BITS, wordFieldBit } from '../../revision/words/word-index.ts';
import type { EngineSource } from '../engine/engine-source.ts';
import { EngineUnavailable } from '../engine/search-engine.ts';
import { mostFrequent, type ValueCount } from '../facets.ts';
import { ScratchPool } from '../hits.ts';
import type { SearchPage } from '../request.ts';
import type { Target } from '../targets.ts';
import { findPostings } from './postings.ts';
import { type Alternative, MIN_PREFIX, type ParsedQuery, parseQuery, prefixLength } from './query.ts';
import { eachSource, findSources, memberWith, type OpenedSource, RevisionGone } from './sources.ts';
import { type CountedValues, topValues } from './top-values.ts';

export interface CompletionRequest extends Pick<SearchPage, 'q' | 'limit' | 'hasLeft'> {}

/** Completes typed text over some targets. If one is replaced meanwhile, it and those after it suggest nothing. */
export async function completeInTargets(
  context: SearchContext,
  targets: readonly Target[],
  { q, limit, hasLeft }: CompletionRequest,
): Promise<Completions> {
  const beginning = q.trimStart();
  const names = new NameCompletions(parseQuery(beginning), limit);
  const tags: CountedValues[] = [];
  let others: readonly ValueCount[] = [];
  if (beginning !== '') {
    try {
      const sources = await findSources(context, targets, { hasLeft, usesEngine: true });
      if (sources.engine) others = await names.addFrom(sources.engine, sources.searched, beginning);
      await eachSource(context, sources, async (source) => {
        tags.push(countTags(source, beginning));
        await names.add(source, sources.searched);
      });
    } catch (error) {
      if (error instanceof EngineUnavailable) {
        context.engine?.failed(error);
        return completeInTargets(context, targets, { q, limit, hasLeft });
      }
      if (!(error instanceof RevisionGone)) throw error;
    }
  }
  const counted = added(await topValues(tags, limit), others);
  return { names: names.best(), tags: mostFrequent(counted).slice(0, limit) };
}

/** Adds up the counts of values that were counted here and elsewhere. */
function added(counts: readonly ValueCount[], others: readonly ValueCount[]): ValueCount[] {
  const sums = new Map(counts.map((one) => [one.key, { ...one }]));
  for (const one of others) {
    const known = sums.get(one.key);
    if (known) known.count += one.count;
    else sums.set(one.key, { ...one });
  }
  return [...sums.values()];
}

/** Counts the tags that begin so. */
function countTags({ values, searched }: OpenedSource, beginning: string): CountedValues {
  const { first, end } = values.rangeOf('tag', beginning);
  const counts = Uint32Array.from({ length: end - first }, (_, at) =>
    searched === null ? values.frequency(first + at) : countIn(searched, values.documents(first + at)),
  );
  return { facet: 'tag', values, first, counts };
}

function countIn(set: DocumentSet, documents: Uint32Array): number {
  return documents.reduce((count, document) => count + (set[document] as number), 0);
}

/** At most this many assets of a source are read to find names to suggest. */
const MAX_READ = 32;

/** Longer titles count as having this many words. */
const LONGEST = 8;

const IN_TITLE = wordFieldBit('title');
const IN_NAME = IN_TITLE | wordFieldBit('id');

const scratch = new ScratchPool<Uint8Array>(Uint8Array);

type NameCompletion = Completions['names'][number] & { place: number };

/**
 * Finds the assets whose title or id has the typed words, the last one as a prefix: those with all of them in the title
 * first, shortest titles first, then in the order of targets and ids. A single letter begins too many words to find names by it alone.
 */
class NameCompletions {
  readonly #words: readonly Alternative[];
  readonly #limit: number;
  readonly #prefix: string;
  #best: NameCompletion[] = [];

  constructor({ words, endsInWord }: ParsedQuery, limit: number) {
    this.#limit = limit;
    this.#prefix = endsInWord ? (words.at(-1) ?? '') : '';
    const whole = endsInWord ? words.slice(0, -1) : words;
    this.#words = [
      ...whole.map((word): Alternative => ({ match: 'exact', terms: [termOf(word)] })),
      ...(prefixLength(this.#prefix) < MIN_PREFIX
        ? []
        : [{ match: 'prefix' as const, prefix: this.#prefix }]),
    ];
  }

  async add(source: OpenedSource, targets: readonly Target[]): Promise<void> {
    if (this.#words.length === 0) return;
    const found: NameCompletion[] = [];
    let read = 0;
    for (const [place, documents] of (await this.#candidates(source)).entries()) {
      for (const document of documents) {
        const worst = this.#best[this.#limit - 1];
        if (found.length === this.#limit || read++ === MAX_READ || (worst && worst.place <= place)) break;
        const { assetId, title } = await source.card(document);
        if (!this.#hasPrefix(`${title ?? ''} ${assetId}`)) continue;
        const { namespace, library } = targets[memberWith(source.members, document).target] as Target;
        found.push({ namespace, library, assetId, title, place });
      }
    }
    this.#best = [...this.#best, ...found].sort((a, b) => a.place - b.place).slice(0, this.#limit);
  }

  /** Adds what the search engine finds, and returns its tags. */
  async addFrom(
    { port, scope, members }: EngineSource,
    targets: readonly Target[],
    beginning: string,
  ): Promise<readonly ValueCount[]> {
    const { tags, named } = await port.complete(scope, { beginning, words: this.#words, count: MAX_READ });
    const described = await port.describe(
      scope,
      named.map(({ id }) => id),
    );
    const targetOf = new Map(members.map(({ number, target }) => [number, target]));
    const found = named.flatMap(({ library, titleLength, isInTitle }, at) => {
      const card = described[at]?.card;
      const target = targetOf.get(library);
      if (!card || target === undefined || !this.#hasPrefix(`${card.title ?? ''} ${card.assetId}`)) return [];
      const place = (isInTitle ? 0 : LONGEST + 1) + Math.min(LONGEST, titleLength);
      const { namespace, library: name } = targets[target] as Target;
      return [{ namespace, library: name, assetId: card.assetId, title: card.title, place, target }];
    });
    const inOrder = found
      .sort((a, b) => a.target - b.target || compareUtf8(a.assetId, b.assetId))
      .map(({ target: _, ...one }): NameCompletion => one);
    this.#best = [...this.#best, ...inOrder].sort((a, b) => a.place - b.place).slice(0, this.#limit);
    return tags;
  }

  best(): Completions['names'] {
    return this.#best.map(({ place: _, ...name }) => name);
  }

  /**
   * Returns the documents whose names have all words: by length of the title those whose title has all of them, then
   * the others in the same way; at most `MAX_READ` of each.
   */
  async #candidates(source: OpenedSource): Promise<number[][]> {
    const { assetCount, words, searched } = source;
    const inName = scratch.borrow(assetCount);
    const inTitle = scratch.borrow(assetCount);
    for (const [at, alternative] of this.#words.entries()) {
      const { values, ranges } = findPostings(words, alternative);
      for (let range = 0; range < ranges.length; range += 2) {
        const postings = values.subarray(ranges[range], ranges[range + 1]);
        markHaving(postings, IN_NAME, inName, at);
        markHaving(postings, IN_TITLE, inTitle, at);
        if (turnIsOver()) await nextTurn();
      }
    }
    const places = Array.from({ length: 2 * (LONGEST + 1) }, (): number[] => []);
    for (let document = 0; document < inName.length; document++) {
      if (inName[document] !== this.#words.length || searched?.[document] === 0) continue;
      const first = inTitle[document] === this.#words.length ? 0 : LONGEST + 1;
      const own = places[first + lengthOf(source, document)];
      if (own && own.length < MAX_READ) own.push(document);
    }
    scratch.giveBack(inName);
    scratch.giveBack(inTitle);
    return places;
  }

  /** Words with the same stem are indexed as one term; only some of them begin with the prefix. */
  #hasPrefix(name: string): boolean {
    return this.#prefix === '' || [...textWords(name)].some((word) => word.startsWith(this.#prefix));
  }
}

/** Increments the count of documents that have this word in one of the fields, and all words before it. */
function markHaving(postings: Uint32Array, fields: number, having: Uint8Array, at: number): void {
  for (let place = 0; place < postings.length; place++) {
    const posting = postings[place] as number;
    const document = posting >>> WORD_FIELD_BITS;
    if ((posting & fields) !== 0 && having[document] === at) having[document] = at + 1;
  }
}

function lengthOf({ words }: OpenedSource, document: number): number {
  return Math.min(LONGEST, words.titleLengths[document] as number);
}
