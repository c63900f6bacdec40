import { LIBRARY_NAME } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useState } from 'react';
import { messages } from '../../messages.ts';
import { FailureNotice } from '../../parts/failure-notice.tsx';
import form from '../../parts/form.module.css';
import { SignInFirst } from '../../parts/sign-in-first.tsx';
import { namespacesQuery, sessionQuery } from '../../queries.ts';
import { nameFrom } from './library-name.ts';
import styles from './push.module.css';
import { Push } from './push.tsx';
import { SignedOut } from './signed-out.tsx';
import { usePickedFolder } from './use-picked-folder.ts';

const route = getRouteApi('/-/new');
/** How long somebody who types a name pauses, in milliseconds, before it is looked up. */
const TYPING_PAUSE = 300;

/** Creates a library from a folder. */
export function NewLibraryPage() {
  const text = messages.push;
  const { namespace: asked } = route.useSearch();
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch } = useQuery({ ...namespacesQuery, enabled: !!session });
  const { picked, setPicked, isSignedOut } = usePickedFolder(null);
  const [chosen, setChosen] = useState<string | null>(asked ?? null);
  const [typed, setTyped] = useState<string | null>(null);
  const [named, setNamed] = useState<string | null>(null);
  const [isSending, setSending] = useState(false);
  const namespace = chosen ?? session?.user.userName ?? null;
  const name = typed ?? nameFrom(picked?.folder ?? '');
  const settled = named ?? nameFrom(picked?.folder ?? '');
  const problem = useId();
  const isUsable = LIBRARY_NAME.pattern.test(name);
  const isKnown = LIBRARY_NAME.pattern.test(settled);
  const target = useMemo(
    () => (namespace === null || !isUsable || !isKnown ? null : { namespace, name: settled }),
    [namespace, isUsable, isKnown, settled],
  );
  // A plan for the name says whether it is taken, without waiting until its field is left.
  useEffect(() => {
    if (typed === null) return;
    const pause = setTimeout(() => setNamed(typed), TYPING_PAUSE);
    return () => clearTimeout(pause);
  }, [typed]);
  if (isSignedOut) return <SignedOut />;
  if (session === null) return <SignInFirst />;
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  return (
    <div className={styles.page}>
      <title>{`${text.newTitle} · ${messages.product}`}</title>
      <h1>{text.newTitle}</h1>
      <form
        className={form.row}
        onSubmit={(event) => {
          event.preventDefault();
          setNamed(name);
        }}
      >
        <label className={form.field}>
          {text.namespace}
          <select
            value={namespace ?? ''}
            disabled={isSending}
            onChange={({ target: { value } }) => setChosen(value)}
          >
            {data?.namespaces.map(({ slug }) => (
              <option key={slug} value={slug}>
                {slug}
              </option>
            ))}
          </select>
        </label>
        <label className={form.field}>
          {text.name}
          <input
            value={name}
            disabled={isSending}
            onChange={({ target: { value } }) => setTyped(value)}
            onBlur={() => typed !== null && setNamed(typed)}
            aria-invalid={name !== '' && !isUsable}
            aria-describedby={problem}
            maxLength={64}
            required
            autoComplete="off"
          />
        </label>
      </form>
      <p id={problem} role="status" className={styles.nameProblem}>
        {name !== '' && !isUsable ? text.nameRule : picked !== null && name === '' ? text.nameFirst : ''}
      </p>
      <Push target={target} createsLibrary picked={picked} onPicked={setPicked} onSending={setSending} />
    </div>
  );
}
