import { LIBRARY_NAME } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useId, useMemo, useState } from 'react';
import { pushMessages as text } from '../../messages/push.ts';
import { messages } from '../../messages.ts';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Field, SelectField } from '../../parts/form.tsx';
import { FailureNotice, NotFound, SignInFirst } from '../../parts/notices.tsx';
import { takeDroppedFolder } from '../../push/picked-folder.ts';
import type { PickedFolder, Target } from '../../push/protocol.ts';
import { libraryQuery, namespacesQuery, sessionQuery } from '../../queries.ts';
import { useIsMember } from '../../use-is-member.ts';
import styles from './push.module.css';
import { Push } from './push.tsx';

const ofLibrary = getRouteApi('/$namespace/$library/-/push');
const ofNew = getRouteApi('/-/new');

/** Pushes a folder to an existing library, or proposes to. */
export function PushPage() {
  const { namespace, library } = ofLibrary.useParams();
  const { data, error, refetch } = useQuery(libraryQuery({ namespace, library }));
  const isMember = useIsMember(namespace);
  const target = useMemo(() => ({ namespace, name: library }), [namespace, library]);
  const { picked, setPicked, isSignedOut } = usePickedFolder(target);
  // Once files are picked, the page stays whatever happens to the library; the push reports it.
  if (picked === null) {
    if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
    if (data === undefined || isMember === undefined) return null;
    if (!isMember) return <NotFound />;
  }
  const proposes = data?.viewerCanManage === false;
  const heading = proposes ? text.proposeTitle : text.title;
  const title = data?.title ?? library;
  return (
    <div className="stack">
      <title>{`${heading} · ${title} · ${messages.product}`}</title>
      <header>
        <Crumbs namespace={namespace} library={{ name: library, title }} />
        <h1>{heading}</h1>
      </header>
      {isSignedOut && <SignedOut />}
      {!isSignedOut && <Push target={target} proposes={proposes} picked={picked} onPicked={setPicked} />}
    </div>
  );
}

/** How long somebody who types a name pauses, in milliseconds, before it is looked up. */
const TYPING_PAUSE = 300;

/** Creates a library from a folder. */
export function NewLibraryPage() {
  const { namespace: asked } = ofNew.useSearch();
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
    <div className="stack">
      <title>{`${text.newTitle} · ${messages.product}`}</title>
      <h1>{text.newTitle}</h1>
      <form
        className="fields"
        onSubmit={(event) => {
          event.preventDefault();
          setNamed(name);
        }}
      >
        <SelectField
          label={text.namespace}
          value={namespace ?? ''}
          options={Object.fromEntries(data?.namespaces.map(({ slug }) => [slug, slug]) ?? [])}
          disabled={isSending}
          onChange={setChosen}
        />
        <Field
          label={text.name}
          value={name}
          disabled={isSending}
          onChange={setTyped}
          onBlur={() => typed !== null && setNamed(typed)}
          aria-invalid={name !== '' && !isUsable}
          aria-describedby={problem}
          maxLength={64}
          required
        />
      </form>
      <p id={problem} role="status" className={styles.nameProblem}>
        {name !== '' && !isUsable ? text.nameRule : picked !== null && name === '' ? text.nameFirst : ''}
      </p>
      <Push target={target} createsLibrary picked={picked} onPicked={setPicked} onSending={setSending} />
    </div>
  );
}

/** Derives a library name from a folder's name; empty if no character of it is allowed in one. */
export function nameFrom(folder: string): string {
  return folder
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 64);
}

/**
 * The picked files: kept while the user is signed out, dropped once a different user signs in. They start with what was
 * dropped on the page of `target`; null for a library that is not there yet.
 */
export function usePickedFolder(target: Target | null) {
  const { data: session } = useQuery(sessionQuery);
  const who = session?.user.id ?? null;
  const [kept, setKept] = useState(() => ({ picked: takeDroppedFolder(target), by: who }));
  if (who !== null && who !== kept.by) setKept({ picked: kept.by === null ? kept.picked : null, by: who });
  return {
    picked: kept.picked,
    setPicked: (picked: PickedFolder | null) => setKept({ picked, by: who }),
    isSignedOut: session === null && kept.picked !== null,
  };
}

/** Shown instead of a push while nobody is signed in. The page keeps its state: signing in opens another tab. */
export function SignedOut() {
  return (
    <section className={`stack ${styles.failed}`}>
      <p role="alert" className="alert">
        {text.signedOut}
      </p>
      <div className="actions">
        <a className="button" href="/sign-in?next=/app/" target="_blank" rel="noreferrer">
          {messages.signIn}
        </a>
      </div>
    </section>
  );
}
