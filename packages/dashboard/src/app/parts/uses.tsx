import type { LibraryDetail, LibrarySummary } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { useMutation, useQuery } from '@tanstack/react-query';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import { queries, service } from '../session.ts';

type Marked = Pick<LibraryDetail, 'namespace' | 'name' | 'isFavourite'>;

/** Marks a library as a favourite of whoever is signed in, or takes that back. */
export function FavouriteButton({ library: { namespace, name, isFavourite = false } }: { library: Marked }) {
  const { data: session } = useQuery(sessionQuery);
  const mark = useMutation({
    mutationFn: () =>
      service.call(isFavourite ? routes.libraries.deleteFavourite : routes.libraries.putFavourite, {
        params: { namespace, name },
      }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['library', namespace, name] }),
        queries.invalidateQueries({ queryKey: ['libraries'] }),
      ]),
  });
  if (!session) return null;
  return (
    <button
      type="button"
      className="text-button"
      aria-pressed={isFavourite}
      disabled={mark.isPending}
      onClick={() => mark.mutate()}
    >
      <span aria-hidden="true">{isFavourite ? '★' : '☆'}</span> {messages.uses.favourite}
    </button>
  );
}

type Uses = Partial<Pick<LibrarySummary, 'downloads' | 'usedBy'>>;

/** Says how often assets were downloaded and pinned by projects; null if they were not, or nobody counts. */
export function describeUses({ downloads = 0, usedBy = 0 }: Uses): string | null {
  return messages.uses.of(downloads, usedBy) || null;
}
