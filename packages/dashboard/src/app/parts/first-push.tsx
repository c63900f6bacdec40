import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { pushCommands } from '../pull-snippets.ts';
import { Copyable } from './copyable.tsx';
import { EmptyState } from './empty-state.tsx';
import styles from './notice.module.css';

/** An empty place, for somebody who may publish to it: from this browser, or from a terminal. */
export function FirstPush({
  title,
  namespace,
  library,
}: {
  title: string;
  namespace: string;
  /** The library to push to; absent where it is to be created. */
  library?: string;
}) {
  const text = messages.push;
  return (
    <EmptyState title={title}>
      <p>{library === undefined ? text.firstDetail : text.firstDetailHere}</p>
      {library === undefined ? (
        <Link to="/-/new" search={{ namespace }} className={styles.link}>
          {text.newLibrary}
        </Link>
      ) : (
        <Link to="/$namespace/$library/-/push" params={{ namespace, library }} className={styles.link}>
          {text.title}
        </Link>
      )}
      <p>{text.firstTerminal}</p>
      <Copyable text={pushCommands(namespace, library ?? 'robots')} label={text.firstTerminal} />
    </EmptyState>
  );
}
