import type { LibraryDetail } from '@bindery/contract';
import { LIMITS, RELEASE_NAME, routes } from '@bindery/contract/wire';
import { ApiError } from '@bindery/sdk/browser';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { toComparison, toLibrary } from '../../links.ts';
import { libraryMessages, releasesMessages as text } from '../../messages/library.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { ActionForm, Field, TextField, useFields } from '../../parts/form.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { OlderButton } from '../../parts/pager.tsx';
import { ReleaseFacts } from '../../parts/release.tsx';
import { type LibraryKey, releasesQuery } from '../../queries.ts';
import { change, queries, remove, service } from '../../session.ts';
import type { TabProps } from './library-tabs.tsx';
import styles from './releases.module.css';

/** The releases of a library. Those who manage the library create and delete releases. */
export function Releases({ library, address, isChangeable }: TabProps) {
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
    <div className={`stack ${styles.columns}`}>
      <div className="stack">
        {total === 0 ? (
          <p className="detail">{text.none}</p>
        ) : (
          <ul className="list" aria-label={libraryMessages.tabs.releases}>
            {data?.pages
              .flatMap(({ releases }) => releases)
              .map((release) => (
                <li key={release.name}>
                  <div className={styles.release}>
                    <span className={styles.choice}>
                      <Link {...toLibrary({ ...address, release: release.name })} resetScroll={false}>
                        {release.name}
                      </Link>
                      {release.name === address.release && <span className="detail"> · {text.chosen}</span>}
                    </span>
                    <ReleaseFacts release={release} />
                    {release.revision !== library.revision && (
                      <Link {...toComparison(address, `@${release.name}`)}>{text.since(release.name)}</Link>
                    )}
                  </div>
                  {library.viewerCanManage && (
                    <DeleteRelease
                      library={address}
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

/** Releases the revision shown, even if another has been published since; refused if it is no longer kept. */
export function NewRelease({ library: { namespace, name: library, revision } }: { library: LibraryDetail }) {
  const [{ name, notes }, field, set] = useFields({ name: '', notes: '' });
  const run = async () => {
    const params = { namespace, name: library };
    const body = { name, revision, ...(notes.trim() !== '' && { notes }) };
    try {
      return await change(routes.releases.createRelease, { params, body }, ['releases', namespace, library]);
    } catch (error) {
      if (!isRevisionConflict(error)) throw error;
      await queries.invalidateQueries({ queryKey: ['library', namespace, library] });
      throw new Error(text.movedOn, { cause: error });
    }
  };
  const isNameUsable = name === '' || RELEASE_NAME.pattern.test(name);
  return (
    <Card title={text.make}>
      <ActionForm
        aria-label={text.make}
        label={text.make}
        isStacked
        mayRun={isNameUsable}
        run={run}
        onDone={() => set({ name: '', notes: '' })}
        detail={text.detail(revision)}
        done={(made) => <span role="status">{text.made(made.name, made.revision)}</span>}
      >
        <Field
          label={text.name}
          {...field('name')}
          placeholder="v1.0"
          maxLength={64}
          required
          spellCheck={false}
          aria-invalid={!isNameUsable}
        />
        {!isNameUsable && (
          <p role="alert" className="alert">
            {text.nameRule}
          </p>
        )}
        <TextField label={text.notes} {...field('notes')} maxLength={LIMITS.releaseNotes} />
      </ActionForm>
      <Copyable text={`bindery library release ${namespace}/${library} v1.0`} label={text.terminal} />
    </Card>
  );
}

/** Whether the revision shown has been replaced and is no longer kept. */
function isRevisionConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'revision_conflict';
}

/** Deletes a release after showing how much space that frees, which is requested when the dialog opens. */
export function DeleteRelease({
  library: { namespace, library },
  release,
  onDeleted,
}: {
  library: LibraryKey;
  release: string;
  onDeleted: () => Promise<unknown>;
}) {
  const [isAsked, setAsked] = useState(false);
  const key = ['releases', namespace, library, release, 'deletion'];
  const params = { namespace, name: library, release };
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => service.call(routes.releases.previewReleaseDeletion, { params, signal }),
    enabled: isAsked,
    retry: (failures, failure) => failures < 2 && !(failure instanceof ApiError),
    staleTime: 0,
  });
  const freed = data
    ? text.freed(data.objectsFreed, data.bytesFreed)
    : error
      ? text.freedUnknown
      : text.freedIsAsked;
  return (
    <Confirm
      label={text.delete(release)}
      title={text.deleteTitle(release)}
      detail={`${text.deleteDetail} ${freed}`}
      onOpen={() => setAsked(true)}
      action={() => remove(routes.releases.deleteRelease, { params }, onDeleted, key)}
    />
  );
}
