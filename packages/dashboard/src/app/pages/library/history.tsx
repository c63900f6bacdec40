import type { LoggedRegister } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatTime } from '../../format.ts';
import { toComparison, toLibrary } from '../../links.ts';
import { libraryMessages, releasesMessages, historyMessages as text } from '../../messages/library.ts';
import { Confirm } from '../../parts/actions.tsx';
import { Copyable } from '../../parts/copyable.tsx';
import { InlineError } from '../../parts/inline-error.tsx';
import { pullRevisionCommand } from '../../pull-snippets.ts';
import { historyQuery, type LibraryKey, logQuery } from '../../queries.ts';
import { change, service } from '../../session.ts';
import styles from './history.module.css';
import type { TabProps } from './library-tabs.tsx';

/** How many revisions are told in words, and how many assets of each are read for that. */
const [TOLD, NAMED] = [10, 20];

/** The latest revisions of a library, newest first: who published each, when, and what it changed. */
export function History({ library, address }: TabProps) {
  const { data, error } = useQuery(logQuery(address, library.revision));
  const registers = data?.registers ?? [];
  const { data: kept } = useQuery({
    ...historyQuery(address, library.revision),
    enabled: library.viewerCanManage,
  });
  const current = registers[0]?.revision;
  const oldest = registers.findLast(({ isReadable }) => isReadable);
  return (
    <section aria-label={libraryMessages.tabs.history} className="stack">
      <InlineError error={error} />
      {oldest && oldest.revision !== library.revision && (
        <p>
          <Link {...toComparison(address, String(oldest.revision))}>{text.compare}</Link>
        </p>
      )}
      <ol className="surface">
        {registers.map((register, at) => (
          <Revision
            key={register.revision}
            register={register}
            at={at}
            before={registers[at + 1]}
            address={address}
            isEarlier={library.viewerCanManage && register.isReadable && register.revision !== current}
          />
        ))}
      </ol>
      {data && kept && <p className="soft">{text.kept(kept.days)}</p>}
    </section>
  );
}

/** Says what somebody did, in place of its counts. */
function WhatHappened({ address, from, to }: { address: LibraryKey; from: number; to: number }) {
  const { namespace, library: name, share } = address;
  const { data } = useQuery({
    queryKey: ['library', namespace, name, share ?? null, 'happened', from, to],
    queryFn: async ({ signal }) => {
      const [{ changes }, { changeWords }] = await Promise.all([
        service.call(routes.libraries.listChanges, {
          params: { namespace, name },
          query: { ...readQuery({ share }), from: String(from), revision: String(to), limit: NAMED },
          signal,
        }),
        import('../compare/change-words.ts'),
      ]);
      return changeWords(changes).join(' · ');
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <p className={`clamped ${styles.happened}`}>{data}</p>;
}

function Revision({
  register,
  at,
  before,
  address,
  isEarlier,
}: {
  register: LoggedRegister;
  /** Its place in the list. */
  at: number;
  /** The revision that this one replaced; undefined for the first that is known. */
  before: LoggedRegister | undefined;
  address: LibraryKey;
  /** Whether the viewer can go back to it. */
  isEarlier: boolean;
}) {
  const { revision, registeredAt, registeredBy, releases } = register;
  const { namespace, library } = address;
  const params = { namespace, name: library, revision: String(revision) };
  const isComparable = before?.isReadable === true && register.isReadable;
  return (
    <li className={styles.revision}>
      <strong>
        {libraryMessages.revision(revision)}{' '}
        {releases.map((release) => (
          <Link key={release} {...toLibrary({ ...address, release })} className="badge">
            {release}
          </Link>
        ))}
      </strong>
      {isComparable ? (
        <Link {...toComparison(address, String(before.revision), String(revision))}>
          {text.changed(register)}
        </Link>
      ) : (
        <span>{text.changed(register)}</span>
      )}
      <span className="soft">
        {registeredBy === null
          ? formatTime(registeredAt)
          : releasesMessages.madeBy(formatTime(registeredAt), registeredBy)}
      </span>
      {isComparable && at < TOLD && <WhatHappened address={address} from={before.revision} to={revision} />}
      {isEarlier && (
        <div className={`row ${styles.back}`}>
          <Copyable text={pullRevisionCommand(address, revision)} label={text.pull(revision)} />
          <Confirm
            label={text.restore}
            name={text.restoreRevision(revision)}
            title={text.restoreTitle(revision)}
            detail={text.restoreDetail}
            isReversible
            action={() => change(routes.libraries.restoreRevision, { params })}
          />
        </div>
      )}
    </li>
  );
}
