import { readQuery } from '@bindery/sdk/browser';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/older-button.tsx';
import { ReleaseFacts } from '../../parts/release-facts.tsx';
import { type LibraryKey, releasesQuery } from '../../queries.ts';
import { DeleteRelease } from './delete-release.tsx';
import type { TabProps } from './library-tabs.tsx';
import { NewRelease } from './new-release.tsx';
import styles from './releases.module.css';

/** The releases of a library. Those who manage the library create and delete releases. */
export function Releases({ library, address, isChangeable }: TabProps) {
  const text = messages.releases;
  const { namespace, name, viewerCanManage } = library;
  const query = useInfiniteQuery(releasesQuery(address));
  const { data, error } = query;
  const navigate = useNavigate({ from: '/$namespace/$library' });
  /** Shows the newest revision if the deleted release was being shown. */
  const leave = async (deleted: string) => {
    if (address.release !== deleted) return;
    await navigate({ to: '.', search: ({ release: _, ...rest }) => rest, resetScroll: false });
  };
  const total = data?.pages[0]?.total;
  if (total === undefined) return <InlineError error={error} />;
  return (
    <div className={styles.columns}>
      <div className={styles.list}>
        {total === 0 ? (
          <p className={form.soft}>{text.none}</p>
        ) : (
          <ul className={form.list} aria-label={messages.library.tabs.releases}>
            {data?.pages
              .flatMap(({ releases }) => releases)
              .map((release) => (
                <li key={release.name}>
                  <div className={styles.release}>
                    <Choice address={address} release={release.name} />
                    <ReleaseFacts release={release} />
                    {release.revision !== library.revision && (
                      <Link
                        to="/$namespace/$library/-/compare"
                        params={{ namespace, library: name }}
                        search={{ ...readQuery({ share: address.share }), from: `@${release.name}` }}
                      >
                        {text.since(release.name)}
                      </Link>
                    )}
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
      {isChangeable && <NewRelease library={library} />}
    </div>
  );
}

/** Opens the assets of a release. */
function Choice({ address, release }: { address: LibraryKey; release: string }) {
  const { namespace, library, share, release: chosen } = address;
  return (
    <span className={styles.choice}>
      <Link
        to="/$namespace/$library"
        params={{ namespace, library }}
        search={readQuery({ share, release })}
        resetScroll={false}
      >
        {release}
      </Link>
      {release === chosen && <span className={form.soft}> · {messages.releases.chosen}</span>}
    </span>
  );
}
