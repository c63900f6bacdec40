import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import form from './form.module.css';

/** For those who are signed in, and so may make one. */
export function NewLibraryLink() {
  const { data: session } = useQuery(sessionQuery);
  if (!session) return null;
  return (
    <Link to="/-/new" className={form.quietLink}>
      {messages.push.newLibrary}
    </Link>
  );
}
