import type { LoggedRegister } from '@bindery/contract';
import { readQuery } from '@bindery/sdk/browser';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { formatTime } from '../../format.ts';
import { messages } from '../../messages.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import { type LibraryKey, logQuery } from '../../queries.ts';
import styles from './history.module.css';
import type { TabProps } from './library-tabs.tsx';

/** The latest revisions of a library, newest first: who published each, when, and what it changed. */
export function History({ library, address }: TabProps) {
  const { data, error } = useQuery(logQuery(address, library.revision));
  const registers = data?.registers ?? [];
  const oldest = registers.findLast(({ isReadable }) => isReadable);
  return (
    <section aria-label={messages.library.tabs.history} className={styles.history}>
      <InlineError error={error} />
      {oldest && oldest.revision !== library.revision && (
        <p>
          <Link
            to="/$namespace/$library/-/compare"
            params={{ namespace: address.namespace, library: address.library }}
            search={{ ...readQuery({ share: address.share }), from: String(oldest.revision) }}
          >
            {messages.history.compare}
          </Link>
        </p>
      )}
      <ol className={styles.revisions}>
        {registers.map((register, at) => (
          <Revision
            key={register.revision}
            register={register}
            before={registers[at + 1]}
            address={address}
          />
        ))}
      </ol>
      {library.viewerCanManage && <p className={styles.soft}>{messages.history.kept}</p>}
    </section>
  );
}

function Revision({
  register,
  before,
  address,
}: {
  register: LoggedRegister;
  /** The revision that this one replaced; undefined for the first that is known. */
  before: LoggedRegister | undefined;
  address: LibraryKey;
}) {
  const { revision, registeredAt, registeredBy, releases } = register;
  const { namespace, library, share } = address;
  const text = messages.history;
  return (
    <li className={styles.revision}>
      <span className={styles.number}>
        {messages.library.revision(revision)}
        {releases.map((release) => (
          <Link
            key={release}
            to="/$namespace/$library"
            params={{ namespace, library }}
            search={readQuery({ share, release })}
            className={styles.release}
          >
            {release}
          </Link>
        ))}
      </span>
      {before?.isReadable && register.isReadable ? (
        <Link
          to="/$namespace/$library/-/compare"
          params={{ namespace, library }}
          search={{ ...readQuery({ share }), from: String(before.revision), to: String(revision) }}
        >
          {text.changed(register)}
        </Link>
      ) : (
        <span>{text.changed(register)}</span>
      )}
      <span className={styles.soft}>
        {registeredBy === null
          ? formatTime(registeredAt)
          : messages.releases.madeBy(formatTime(registeredAt), registeredBy)}
      </span>
    </li>
  );
}
