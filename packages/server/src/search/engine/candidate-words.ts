import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { stemOf } from '../../revision/words/text-words.ts';
import { WORD_FIELD_BITS } from '../../revision/words/word-index.ts';
import type { FoundPostings } from '../relevance/postings.ts';
import type { Alternative } from '../relevance/query.ts';
import type { EngineCandidate } from './search-engine.ts';

/** The words of candidates, found as `postings.ts` finds those of an index; a document is a candidate's position. */
export class CandidateWords {
  readonly documentCount: number;
  readonly titleLengths: Uint8Array;
  readonly #candidates: readonly EngineCandidate[];
  readonly #fields: readonly ReadonlyMap<string, number>[];
  readonly #stems = new Map<string, string | null>();

  private constructor(
    candidates: readonly EngineCandidate[],
    fields: readonly ReadonlyMap<string, number>[],
  ) {
    this.documentCount = candidates.length;
    this.titleLengths = Uint8Array.from(candidates, ({ titleLength }) => titleLength);
    this.#candidates = candidates;
    this.#fields = fields;
  }

  static async of(candidates: readonly EngineCandidate[]): Promise<CandidateWords> {
    const fields: ReadonlyMap<string, number>[] = [];
    for (const { terms } of candidates) {
      fields.push(new Map(terms.map(({ term, fields }) => [term, fields])));
      if (turnIsOver()) await nextTurn();
    }
    return new CandidateWords(candidates, fields);
  }

  find(alternative: Alternative): FoundPostings {
    const postings: number[] = [];
    const add = (document: number, fields: number) => {
      if (fields !== 0) postings.push(((document << WORD_FIELD_BITS) | fields) >>> 0);
    };
    if (alternative.match === 'prefix' || alternative.match === 'stem') {
      for (const [document, { terms }] of this.#candidates.entries())
        for (const { term, fields, written } of terms)
          if (this.#isMeant(alternative, term, written)) add(document, fields);
    } else {
      for (const [document, fields] of this.#fields.entries())
        add(
          document,
          alternative.terms.reduce((common, term) => common & (fields.get(term) ?? 0), ~0),
        );
    }
    return { values: Uint32Array.from(postings), ranges: [0, postings.length] };
  }

  #isMeant(
    alternative: Alternative & { match: 'prefix' | 'stem' },
    term: string,
    written: readonly string[],
  ): boolean {
    if (alternative.match === 'prefix') return written.some((word) => word.startsWith(alternative.prefix));
    return term !== alternative.except && this.#stemOf(term) === alternative.stem;
  }

  #stemOf(term: string): string | null {
    let stem = this.#stems.get(term);
    if (stem === undefined) {
      stem = stemOf(term);
      this.#stems.set(term, stem);
    }
    return stem;
  }
}
