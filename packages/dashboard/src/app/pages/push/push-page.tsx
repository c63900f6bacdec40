import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { FailureNotice } from '../../parts/failure.tsx';
import { Missing } from '../../parts/missing.tsx';
import { takeHandedOver } from '../../push/hand-over.ts';
import type { Picked } from '../../push/protocol.ts';
import { libraryQuery } from '../../queries.ts';
import styles from './push.module.css';
import { Push } from './push.tsx';

const route = getRouteApi('/$namespace/$library/-/push');

/** A folder is pushed to a library that is there. */
export function PushPage() {
  const { namespace, library } = route.useParams();
  const { data, error, refetch } = useQuery(libraryQuery({ namespace, library }));
  const [picked, setPicked] = useState<Picked | null>(takeHandedOver);
  const target = useMemo(() => ({ namespace, name: library }), [namespace, library]);
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (data === undefined) return null;
  if (!data.viewerCanManage) return <Missing />;
  return (
    <div className={styles.page}>
      <title>{`${messages.push.title} · ${data.title ?? library} · ${messages.product}`}</title>
      <header>
        <Crumbs namespace={namespace} library={{ name: library, title: data.title ?? library }} />
        <h1>{messages.push.title}</h1>
      </header>
      <Push target={target} picked={picked} onPicked={setPicked} />
    </div>
  );
}
