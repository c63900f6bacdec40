import type { LibraryDetail } from '@bindery/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../../format.ts';
import { toLibrary, toPush } from '../../links.ts';
import { libraryMessages } from '../../messages/library.ts';
import { pushMessages } from '../../messages/push.ts';
import { type LibraryKey, proposalsQuery, releasesQuery } from '../../queries.ts';
import { LIBRARY_TABS, type LibraryTab } from '../../url.ts';
import styles from './library-tabs.module.css';

/** What each of the parts shows. */
export interface TabProps {
  library: LibraryDetail;
  address: LibraryKey;
  /** Whether the viewer may change the library as it is shown. */
  isChangeable: boolean;
}

/** The parts of a library's page, each with an address of its own. */
export function LibraryTabs({
  address,
  tab,
  isChangeable,
  isMember,
}: {
  address: LibraryKey;
  tab: LibraryTab | undefined;
  isChangeable: boolean;
  isMember: boolean;
}) {
  const { namespace, library } = address;
  const { data } = useInfiniteQuery(releasesQuery(address));
  const { data: proposals } = useQuery({ ...proposalsQuery(address), enabled: isMember });
  const counts: Partial<Record<LibraryTab, number | undefined>> = {
    releases: data?.pages[0]?.total,
    proposals: proposals?.total,
  };
  const isShown = (one: LibraryTab | undefined) =>
    one === 'settings' ? isChangeable : one === 'proposals' ? isMember : true;
  return (
    <div className={styles.bar}>
      <nav aria-label={libraryMessages.parts}>
        <ul className={`tabs ${styles.tabs}`}>
          {[undefined, ...LIBRARY_TABS].filter(isShown).map((one) => (
            <li key={one ?? 'assets'}>
              <Link
                {...toLibrary(address, one)}
                resetScroll={false}
                activeOptions={{ exact: true, includeSearch: true }}
                aria-current={one === tab ? 'page' : undefined}
              >
                {libraryMessages.tabs[one ?? 'assets']}
                {one !== undefined && (counts[one] ?? 0) > 0 && (
                  <span className="badge">{formatCount(counts[one] ?? 0)}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {isMember && address.release === undefined && (
        <Link {...toPush({ namespace, library })} className={`quiet ${styles.push}`}>
          {isChangeable ? pushMessages.title : pushMessages.proposeTitle}
        </Link>
      )}
    </div>
  );
}
