import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toPush } from '../links.ts';
import { pushMessages as text } from '../messages/push.ts';
import { pushCommands } from '../pull-snippets.ts';
import { sessionQuery } from '../queries.ts';
import { Copyable } from './copyable.tsx';
import { EmptyState } from './notices.tsx';

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
  return (
    <EmptyState title={title}>
      <p>{library === undefined ? text.firstDetail : text.firstDetailHere}</p>
      <Link
        {...(library === undefined
          ? { to: '/-/new', search: { namespace } }
          : toPush({ namespace, library }))}
        className="quiet"
      >
        {library === undefined ? text.newLibrary : text.title}
      </Link>
      <Copyable text={pushCommands(namespace, library ?? 'robots')} label={text.firstTerminal} />
    </EmptyState>
  );
}

/** Shown only to signed-in users, who can create a library: in `namespace`, or else in their own. */
export function NewLibraryLink({ namespace }: { namespace?: string }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <Link to="/-/new" search={namespace === undefined ? {} : { namespace }} className="quiet">
      {text.newLibrary}
    </Link>
  );
}
