import type { DocumentSet, KeywordIndex } from '../../revision/keywords/keyword-index.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';
import { textsOf } from '../../revision/words/encode-words.ts';
import { WORD_FIELD_BITS } from '../../revision/words/fields.ts';
import { STOP_WORDS } from '../../revision/words/stop-words.ts';
import { termOf } from '../../revision/words/terms.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { type ParsedQuery, type Phrase, phraseOf } from './parse-query.ts';

/**
 * How many assets one search reads to see whether words stand side by side. Beyond, having all of the words counts: a
 * phrase of words that nearly everything has must not cost a reading of everything.
 */
const MAX_READ = 10_000;

/** The filters (as `select` applies them), phrases and exclusions of one search. */
export class Conditions {
  readonly #select: (keywords: KeywordIndex) => DocumentSet | null;
  readonly #query: Pick<ParsedQuery, 'phrases' | 'excluded'>;
  #left = MAX_READ;

  constructor(
    select: (keywords: KeywordIndex) => DocumentSet | null,
    query: Pick<ParsedQuery, 'phrases' | 'excluded'>,
  ) {
    this.#select = select;
    this.#query = query;
  }

  /** The documents of an index that meet all; null, for all documents, if there are no conditions. */
  async select(index: RevisionIndex): Promise<DocumentSet | null> {
    const { phrases, excluded } = this.#query;
    let selected = this.#select(index.keywords);
    for (const phrase of phrases) {
      const having = await this.#documentsWith(index, phrase, selected);
      selected = having.map((has, document) => has & (selected?.[document] ?? 1));
    }
    for (const phrase of excluded) {
      const having = await this.#documentsWith(index, phrase, selected);
      selected = having.map((has, document) => (1 - has) & (selected?.[document] ?? 1));
    }
    return selected;
  }

  /** The documents, of some, that have a phrase in one of their fields. */
  async #documentsWith(index: RevisionIndex, phrase: Phrase, some: DocumentSet | null): Promise<DocumentSet> {
    const having = documentsWithAll(index, phrase);
    if (phrase.length === 1) return having;
    const wanted = ` ${phrase.join(' ')} `;
    for (let document = 0; document < having.length && this.#left > 0; document++) {
      if (having[document] === 0 || some?.[document] === 0) continue;
      this.#left--;
      if (!has(index, document, wanted)) having[document] = 0;
      if (turnIsOver()) await nextTurn();
    }
    return having;
  }
}

/** The documents that have all of these words somewhere; stop words are everywhere. */
function documentsWithAll({ words, assetCount }: RevisionIndex, phrase: Phrase): DocumentSet {
  const having = new Uint8Array(assetCount);
  const terms = [...new Set(phrase.filter((word) => !STOP_WORDS.has(word)).map(termOf))];
  for (const [at, term] of terms.entries()) {
    const place = words?.placeOf(term) ?? -1;
    if (words === null || place < 0) return new Uint8Array(assetCount);
    for (const posting of words.postings(place)) {
      const document = posting >>> WORD_FIELD_BITS;
      if (having[document] === at) having[document] = at + 1;
    }
  }
  return having.map((count) => (count === terms.length ? 1 : 0));
}

function has(index: RevisionIndex, document: number, wanted: string): boolean {
  const card = index.card(document);
  return textsOf({ ...card, id: card.assetId }).some(([, text]) =>
    ` ${phraseOf(text).join(' ')} `.includes(wanted),
  );
}
