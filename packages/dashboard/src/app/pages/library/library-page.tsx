import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { EditMetadata } from '../../parts/edit-metadata.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { LinkedText } from '../../parts/linked-text.tsx';
import { Readme } from '../../parts/readme.tsx';
import { ReleaseMark } from '../../parts/release-mark.tsx';
import { libraryQuery } from '../../queries.ts';
import { SearchBox } from '../../search/search-box.tsx';
import { SearchResults } from '../../search/search-results.tsx';
import { isTypedOn, type PageSearch } from '../../url.ts';
import { LibraryFacts } from './library-facts.tsx';
import styles from './library-page.module.css';
import { libraryReadmeQuery, libraryReadmeSource } from './library-readme.ts';
import { LibrarySettings } from './library-settings.tsx';
import { PushLink, useFolderDrop } from './push-link.tsx';
import { Releases } from './releases.tsx';

const route = getRouteApi('/$namespace/$library');

/** One library: its description, and a search over its assets. */
export function LibraryPage() {
  const { namespace, library } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { share, release } = search;
  const key = { namespace, library, share, release };
  const { data, error, refetch } = useQuery(libraryQuery(key));
  const { data: readme } = useQuery(libraryReadmeQuery(key, data?.revision));
  // A release never changes.
  const isChangeable = data?.viewerCanManage === true && release === undefined;
  const drop = useFolderDrop({ namespace, name: library }, isChangeable);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  const title = data?.title ?? library;
  const onSearch = (change: PageSearch) =>
    navigate({ search: change, replace: isTypedOn(search, change), resetScroll: false });
  return (
    <div className={drop.isOver ? `${styles.page} ${styles.over}` : styles.page} {...drop.handlers}>
      <title>{`${search.q ? `${search.q} · ` : ''}${title} · ${namespace} · ${messages.product}`}</title>
      <header className={styles.head}>
        <Crumbs namespace={namespace} />
        <h1>{title}</h1>
        {data && <ReleaseMark library={key} />}
        {data?.description && (
          <p className={styles.description}>
            <LinkedText text={data.description} />
          </p>
        )}
        {data && (
          <>
            <LibraryFacts library={data} address={key} />
            <Releases library={data} search={search} />
          </>
        )}
        {data && isChangeable && (
          <>
            <PushLink namespace={namespace} name={library} />
            <LibrarySettings library={data} />
            <EditMetadata target={{ namespace, name: library }} asset={null} current={data} />
          </>
        )}
      </header>
      {readme && <Readme key={readme.sha256} source={libraryReadmeSource(key, readme)} isBounded />}
      <SearchBox
        label={messages.library.searchLabel(title)}
        placeholder={messages.library.placeholder}
        value={search.q ?? ''}
        onChange={(q) => onSearch({ ...search, q })}
      />
      <SearchResults
        scope={{ kind: 'library', ...key }}
        label={messages.library.searchLabel(title)}
        search={search}
        onSearch={onSearch}
        empty={
          release === undefined ? (
            <EmptyState title={messages.search.emptyLibrary}>
              <p>{messages.search.emptyLibraryDetail}</p>
              <Copyable
                text={`bindery library push ./folder ${namespace}/${library}`}
                label={messages.search.emptyLibraryDetail}
              />
            </EmptyState>
          ) : (
            <EmptyState title={messages.releases.empty} />
          )
        }
      />
    </div>
  );
}
