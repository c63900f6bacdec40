import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useIsUnreachable } from '../connection.ts';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import { queries } from '../session.ts';
import { useSignInAddress } from './notices.tsx';
import styles from './service-status.module.css';

/** Shown above every page if the service is unreachable or this browser was signed out. */
export function ServiceStatus() {
  const isUnreachable = useIsUnreachable(queries);
  const wasSignedOut = useWasSignedOut();
  const signIn = useSignInAddress();
  return (
    <div role="status">
      {isUnreachable && <p className={styles.line}>{messages.failure.network}</p>}
      {wasSignedOut && (
        <p className={styles.line}>
          {messages.signedOut} <a href={signIn}>{messages.signInToGoOn}</a>
        </p>
      )}
    </div>
  );
}

/** Whether a user was signed in while the page was open and has been signed out. */
function useWasSignedOut(): boolean {
  const { data: session } = useQuery(sessionQuery);
  const [was, setWas] = useState(false);
  if (session && !was) setWas(true);
  return was && session === null;
}
