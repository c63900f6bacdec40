import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import form from './form.module.css';

/** Shown only to signed-in users, who can create a library. */
export function NewLibraryLink() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <Link to="/-/new" className={form.quietLink}>
      {messages.push.newLibrary}
    </Link>
  );
}
