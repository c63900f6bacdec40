import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { libraryQuery } from '../../queries.ts';
import styles from './push.module.css';
import { Push } from './push.tsx';
import { SignedOut } from './signed-out.tsx';
import { usePickedFolder } from './use-picked-folder.ts';

const route = getRouteApi('/$namespace/$library/-/push');

/** Pushes a folder to an existing library. */
export function PushPage() {
  const { namespace, library } = route.useParams();
  const { data, error, refetch } = useQuery(libraryQuery({ namespace, library }));
  const target = useMemo(() => ({ namespace, name: library }), [namespace, library]);
  const { picked, setPicked, isSignedOut } = usePickedFolder(target);
  // Once files are picked, the page stays whatever happens to the library; the push reports it.
  if (picked === null) {
    if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
    if (data === undefined) return null;
    if (!data.viewerCanManage) return <NotFound />;
  }
  const title = data?.title ?? library;
  return (
    <div className={styles.page}>
      <title>{`${messages.push.title} · ${title} · ${messages.product}`}</title>
      <header>
        <Crumbs namespace={namespace} library={{ name: library, title }} />
        <h1>{messages.push.title}</h1>
      </header>
      {isSignedOut ? <SignedOut /> : <Push target={target} picked={picked} onPicked={setPicked} />}
    </div>
  );
}
