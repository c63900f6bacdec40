import type { LoggedRegister } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { formatTime } from '../../format.ts';
import { messages } from '../../messages.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import { type LibraryKey, libraryQuery } from '../../queries.ts';
import { service } from '../../session.ts';
import styles from './history.module.css';
import type { TabProps } from './library-page.tsx';

/** The latest revisions of a library, newest first: who published each, when, and what it changed. */
export function History({ library, address }: TabProps) {
  const { data, error } = useQuery(logQuery(address, library.revision));
  return (
    <section aria-label={messages.library.tabs.history}>
      <InlineError error={error} />
      <ol className={styles.revisions}>
        {data?.registers.map((register) => (
          <Revision key={register.revision} register={register} />
        ))}
      </ol>
    </section>
  );
}

const logQuery = ({ namespace, library, share }: LibraryKey, revision: number) =>
  queryOptions({
    queryKey: [...libraryQuery({ namespace, library, share }).queryKey, 'log', revision],
    queryFn: ({ signal }) =>
      service.call(routes.libraries.getLog, {
        params: { namespace, name: library },
        query: readQuery({ share }),
        signal,
      }),
  });

function Revision({ register }: { register: LoggedRegister }) {
  const { revision, registeredAt, registeredBy } = register;
  const text = messages.history;
  return (
    <li className={styles.revision}>
      <span className={styles.number}>{messages.library.revision(revision)}</span>
      <span>{text.changed(register)}</span>
      <span className={styles.soft}>
        {registeredBy === null
          ? formatTime(registeredAt)
          : messages.releases.madeBy(formatTime(registeredAt), registeredBy)}
      </span>
    </li>
  );
}
