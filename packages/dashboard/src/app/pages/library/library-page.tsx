import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type ComponentType, Suspense } from 'react';
import { lazyPage } from '../../lazy-page.ts';
import { toPush } from '../../links.ts';
import { libraryMessages, releasesMessages } from '../../messages/library.ts';
import { searchMessages } from '../../messages/search.ts';
import { messages } from '../../messages.ts';
import { FirstPush } from '../../parts/first-push.tsx';
import { EmptyState, FailureNotice } from '../../parts/notices.tsx';
import { folderFromDrop, setDroppedFolder } from '../../push/picked-folder.ts';
import type { Target } from '../../push/protocol.ts';
import { type LibraryKey, libraryQuery } from '../../queries.ts';
import { SearchBox } from '../../search/search-box.tsx';
import { SearchResults } from '../../search/search-results.tsx';
import { isTypedOn, type LibraryTab, type PageSearch } from '../../url.ts';
import { useDrop } from '../../use-drop.ts';
import { useIsMember } from '../../use-is-member.ts';
import { LibraryHeader } from './library-header.tsx';
import { LibraryTabs, type TabProps } from './library-tabs.tsx';

const route = getRouteApi('/$namespace/$library');

/** One library: what it is and how to get it, and its assets or another of its tabs. */
export function LibraryPage() {
  const { namespace, library } = route.useParams();
  const { tab: asked, ...search } = route.useSearch();
  const { share, release } = search;
  const key = { namespace, library, share, release };
  const { data, error, refetch } = useQuery(libraryQuery(key));
  // A release never changes.
  const isChangeable = data?.viewerCanManage === true && release === undefined;
  const tab = asked === 'settings' && data && !isChangeable ? undefined : asked;
  const isMember = useIsMember(namespace) ?? isChangeable;
  const drop = useFolderDrop({ namespace, name: library }, isMember && release === undefined);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  const title = data?.title ?? library;
  const shown = tab === undefined ? search.q : libraryMessages.tabs[tab];
  return (
    <div className={drop.isOver ? 'stack drop-target' : 'stack'} {...drop.handlers}>
      <title>{`${shown ? `${shown} · ` : ''}${title} · ${namespace} · ${messages.product}`}</title>
      <LibraryHeader address={key} library={data} />
      <LibraryTabs address={key} tab={tab} isChangeable={isChangeable} isMember={isMember} />
      {tab === undefined ? (
        <Assets
          address={key}
          title={title}
          assetCount={data?.assetCount}
          search={search}
          isChangeable={isChangeable}
        />
      ) : (
        data && (
          <Suspense fallback={<p>{messages.loading}</p>}>
            <Tab tab={tab} library={data} address={key} isChangeable={isChangeable} />
          </Suspense>
        )
      )}
    </div>
  );
}

/** A search over the library's assets. */
function Assets({
  address,
  title,
  assetCount,
  search,
  isChangeable,
}: {
  address: LibraryKey;
  title: string;
  assetCount: number | undefined;
  search: PageSearch;
  isChangeable: boolean;
}) {
  const { namespace, library, release } = address;
  const navigate = route.useNavigate();
  const label = libraryMessages.searchLabel(title);
  const onSearch = (change: PageSearch) =>
    navigate({ search: change, replace: isTypedOn(search, change), resetScroll: false });
  const empty = release === undefined ? searchMessages.emptyLibrary : releasesMessages.empty;
  return (
    <div className="stack">
      <SearchBox
        label={label}
        placeholder={libraryMessages.placeholder(assetCount)}
        value={search.q ?? ''}
        onChange={(q) => onSearch({ ...search, q })}
      />
      <SearchResults
        scope={{ kind: 'library', ...address }}
        label={label}
        search={search}
        onSearch={onSearch}
        empty={
          isChangeable ? (
            <FirstPush title={empty} namespace={namespace} library={library} />
          ) : (
            <EmptyState title={empty} />
          )
        }
      />
    </div>
  );
}

const TABS = {
  readme: lazyPage(() => import('./about.tsx'), 'About'),
  releases: lazyPage(() => import('./releases.tsx'), 'Releases'),
  history: lazyPage(() => import('./history.tsx'), 'History'),
  proposals: lazyPage(() => import('../proposals/proposals.tsx'), 'Proposals'),
  settings: lazyPage(() => import('./library-settings.tsx'), 'LibrarySettings'),
} satisfies Record<LibraryTab, ComponentType<TabProps>>;

function Tab({ tab, ...props }: TabProps & { tab: LibraryTab }) {
  const Shown = TABS[tab];
  return <Shown {...props} />;
}

/** Pushes a folder that is dropped anywhere on the page. */
function useFolderDrop({ namespace, name }: Target, isAllowed: boolean) {
  const navigate = useNavigate();
  return useDrop(async (dropped) => {
    const picked = await folderFromDrop(dropped);
    if (picked.files.length === 0) return;
    setDroppedFolder({ namespace, name }, picked);
    await navigate(toPush({ namespace, library: name }));
  }, isAllowed);
}
