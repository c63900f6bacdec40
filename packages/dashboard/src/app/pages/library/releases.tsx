import type { LibraryDetail } from '@bindery/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { ReleaseFacts } from '../../parts/release-facts.tsx';
import { releasesQuery } from '../../queries.ts';
import type { PageSearch } from '../../url.ts';
import { DeleteRelease } from './delete-release.tsx';
import styles from './library-page.module.css';
import { NewRelease } from './new-release.tsx';

/** The releases of a library. Opening one keeps the search. Those who manage the library create and delete releases. */
export function Releases({ library, search }: { library: LibraryDetail; search: PageSearch }) {
  const text = messages.releases;
  const { namespace, name, viewerCanManage } = library;
  const query = useInfiniteQuery(releasesQuery({ namespace, library: name, share: search.share }));
  const { data, error } = query;
  const navigate = useNavigate({ from: '/$namespace/$library' });
  /** Shows the newest revision if the deleted release was being shown. */
  const leave = async (deleted: string) => {
    const { release: chosen, ...rest } = search;
    if (chosen === deleted) await navigate({ to: '.', search: rest, resetScroll: false });
  };
  const total = data?.pages[0]?.total;
  if (total === undefined) return <InlineError error={error} />;
  if (total === 0 && !viewerCanManage) return null;
  return (
    <details className={styles.about}>
      <summary>{text.title(total)}</summary>
      <div className={styles.releases}>
        {viewerCanManage && search.release === undefined && <NewRelease library={library} />}
        {total > 0 && (
          <ul className={form.list}>
            <li>
              <Choice search={search} release={undefined} />
            </li>
            {data?.pages
              .flatMap(({ releases }) => releases)
              .map((release) => (
                <li key={release.name}>
                  <div className={styles.release}>
                    <Choice search={search} release={release.name} />
                    <ReleaseFacts release={release} />
                  </div>
                  {viewerCanManage && (
                    <DeleteRelease
                      namespace={namespace}
                      library={name}
                      release={release.name}
                      onDeleted={() => leave(release.name)}
                    />
                  )}
                </li>
              ))}
          </ul>
        )}
        <InlineError error={error} />
        <OlderButton query={query} label={text.older} />
      </div>
    </details>
  );
}

function Choice({ search, release }: { search: PageSearch; release: string | undefined }) {
  const { release: chosen, ...rest } = search;
  return (
    <span className={styles.choice}>
      <Link
        from="/$namespace/$library"
        to="."
        search={release === undefined ? rest : { ...rest, release }}
        resetScroll={false}
      >
        {release ?? messages.releases.newest}
      </Link>
      {release === chosen && <span className={form.soft}> · {messages.releases.chosen}</span>}
    </span>
  );
}
