import type { Completions } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { answerOf } from '../connection.ts';
import { searchMessages } from '../messages/search.ts';
import type { Option } from '../parts/option-list.tsx';
import { queryOf } from '../session.ts';

/** Called when a suggestion is chosen. */
export interface OnSuggestion {
  onName: (name: Completions['names'][number]) => void;
  onTag: (tag: string) => void;
}

/** One row below the search field. */
export interface Suggestion extends Option {
  take: () => void;
}

/** How many names and how many tags are suggested. */
const FEW = 4;

/** Completions of the typed text; none for empty text. */
export function useSuggestions(typed: string, onSuggestion: OnSuggestion | undefined): Suggestion[] {
  const data = answerOf(useQuery(completionsQuery(typed.trimStart())));
  if (!data || !onSuggestion || typed.trim() === '') return [];
  return [
    ...data.names.map(
      (name): Suggestion => ({
        key: `name ${name.namespace}/${name.library}/${name.assetId}`,
        label: name.title ?? name.assetId,
        detail: `${name.namespace}/${name.library}`,
        take: () => onSuggestion.onName(name),
      }),
    ),
    ...data.tags.map(
      ({ value, count }): Suggestion => ({
        key: `tag ${value}`,
        label: value,
        detail: searchMessages.tagCount(count),
        take: () => onSuggestion.onTag(value),
      }),
    ),
  ];
}

const completionsQuery = (q: string) =>
  queryOptions({
    ...queryOf(['completions', q], routes.search.complete, { query: { q, limit: FEW } }),
    placeholderData: keepPreviousData,
    enabled: q !== '',
  });
