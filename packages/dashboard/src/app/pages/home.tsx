import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { formatAgo } from '../format.ts';
import { toAsset, toLibrary, toNamespace } from '../links.ts';
import { homeMessages } from '../messages/home.ts';
import { libraryMessages } from '../messages/library.ts';
import { messages } from '../messages.ts';
import { FirstPush, NewLibraryLink } from '../parts/first-push.tsx';
import { EmptyState } from '../parts/notices.tsx';
import { WaitingProposals } from '../parts/waiting-proposals.tsx';
import { assetCountQuery, sessionQuery } from '../queries.ts';
import { FileSearchButton, FileSearchResults } from '../search/file-search.tsx';
import { type Place, usePlacesLike } from '../search/places.ts';
import { SearchBox } from '../search/search-box.tsx';
import { useFileSearch } from '../search/search-by-file.ts';
import { SearchResults } from '../search/search-results.tsx';
import { hasCriteria, isTypedOn, type PageSearch } from '../url.ts';
import { useDrop } from '../use-drop.ts';
import styles from './home.module.css';
import { HomeLibraries, homeLibrariesQuery } from './home-libraries.tsx';

const route = getRouteApi('/');

/** More than these are found by typing on. */
const MAX_NAMED = 8;

const EVERYTHING = { kind: 'everything' } as const;

/** All libraries that the viewer may read, and a search over them. */
export function Home() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const named = usePlacesLike(search.q ?? '');
  const byFile = useFileSearch();
  const drop = useDrop(({ files }) => files.length > 0 && byFile.start([...files]));
  const onSearch = (change: PageSearch) => {
    byFile.clear();
    return navigate({ search: change, replace: isTypedOn(search, change), resetScroll: false });
  };

  return (
    <section
      className={drop.isOver ? 'stack drop-target' : 'stack'}
      aria-label={homeMessages.title}
      {...drop.handlers}
    >
      <title>{`${search.q ? `${search.q} · ` : ''}${homeMessages.title} · ${messages.product}`}</title>
      <div className={`row ${styles.head}`}>
        <h1>{homeMessages.title}</h1>
        <WaitingProposals />
        <NewLibraryLink />
      </div>
      <Amounts />
      <div className={`row ${styles.search}`}>
        <SearchBox
          label={homeMessages.searchAll}
          placeholder={libraryMessages.placeholder(undefined)}
          value={search.q ?? ''}
          onChange={(q) => onSearch({ ...search, q })}
          completion={{
            onTag: (tag) => onSearch({ ...search, q: '', tag: [...new Set([...(search.tag ?? []), tag])] }),
            onName: ({ namespace, library, assetId: asset }) =>
              navigate(toAsset({ namespace, library }, asset)),
          }}
        />
        <FileSearchButton onPicked={(files) => byFile.start(files)} />
      </div>
      {byFile.search ? (
        <FileSearchResults search={byFile.search} byFile={byFile} />
      ) : hasCriteria(search) ? (
        named && (
          <>
            {named.length > 0 && <Places places={named} />}
            <SearchResults
              scope={EVERYTHING}
              label={homeMessages.searchAll}
              search={search}
              onSearch={onSearch}
              empty={null}
              hasPlaces={named.length > 0}
            />
          </>
        )
      ) : (
        <HomeLibraries empty={<NothingYet />} />
      )}
    </section>
  );
}

/** How much there is. Its line keeps its height until that is known. */
function Amounts() {
  const { data: listed } = useQuery(homeLibrariesQuery({}));
  const { data: found } = useQuery({ ...assetCountQuery, enabled: (listed?.total ?? 0) > 0 });
  const latest = listed?.libraries[0]?.updatedAt;
  return (
    <p className={styles.amounts}>
      {listed && homeMessages.amounts(found?.total, listed.total ?? 0, latest && formatAgo(latest))}
    </p>
  );
}

/** There are no libraries; whoever is signed in can publish the first. */
function NothingYet() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return <EmptyState title={homeMessages.empty} />;
  return <FirstPush title={homeMessages.empty} namespace={session.user.userName} />;
}

/** Links to libraries and namespaces, in few lines: what follows are the assets. */
function Places({ places }: { places: readonly Place[] }) {
  return (
    <section aria-label={homeMessages.named}>
      <h2>{homeMessages.named}</h2>
      <ul className="row">
        {places.slice(0, MAX_NAMED).map(({ namespace, library, title }) => (
          <li key={`${namespace}/${library ?? ''}`}>
            {library === null ? (
              <Link {...toNamespace(namespace)}>{namespace}</Link>
            ) : (
              <Link {...toLibrary({ namespace, library })}>{title ?? library}</Link>
            )}{' '}
            <span className="soft">
              {library === null ? homeMessages.namespace : `${namespace}/${library}`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
