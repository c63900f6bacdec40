import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import form from './form.module.css';

/** Shown only to signed-in users, who can create a library: in `namespace`, or else in their own. */
export function NewLibraryLink({ namespace }: { namespace?: string }) {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <Link to="/-/new" search={namespace === undefined ? {} : { namespace }} className={form.quietLink}>
      {messages.push.newLibrary}
    </Link>
  );
}
