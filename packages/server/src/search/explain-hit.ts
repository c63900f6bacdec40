import type { MatchedTerm, SearchExplanation } from '@bindery/contract';
import type { AssetCard } from '../revision/asset-table.ts';
import { FIELDS, type Field, tokenize } from '../revision/keywords/keyword-index.ts';
import type { FusedScore } from './fusion.ts';
import { FIELD_WEIGHTS } from './keyword/weights.ts';

/**
 * Explains the rank of a hit from the query's tokens. The weights of the matched terms add up to the keyword score.
 */
export function explainHit(tokens: readonly string[], card: AssetCard, hit: FusedScore): SearchExplanation {
  const { cosine, keyword, vectorPart, keywordPart, score } = hit;
  return { terms: matchedTerms(tokens, card), keyword, cosine, keywordPart, vectorPart, score };
}

function matchedTerms(terms: readonly string[], card: AssetCard): MatchedTerm[] {
  const tokensOf: Record<Field, string[]> = {
    title: tokenize(card.title ?? ''),
    tags: card.tags.flatMap(tokenize),
    id: tokenize(card.assetId),
    description: tokenize(card.description ?? ''),
  };
  return terms.flatMap((term) =>
    FIELDS.flatMap((field): MatchedTerm[] => {
      const weight = FIELD_WEIGHTS[field];
      if (tokensOf[field].includes(term)) return [{ term, field, match: 'exact', weight }];
      const begins = tokensOf[field].some((token) => token.startsWith(term));
      return begins ? [{ term, field, match: 'prefix', weight: weight / 2 }] : [];
    }),
  );
}
