import { ApiError, NetworkError } from '@bindery/sdk/browser';
import { messages } from '../messages.ts';
import { NotFound } from './not-found.tsx';
import styles from './notice.module.css';
import { SignInFirst } from './sign-in-first.tsx';

/** What went wrong and what to do. Hidden and missing resources look alike. */
export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (isMissing(error)) return <NotFound />;
  if (error instanceof ApiError && error.status === 401) return <SignInFirst />;
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <section className={styles.notice} role="alert">
      <h1>{messages.failure.title}</h1>
      <p>{failureMessage(error)}</p>
      {onRetry && (
        <button type="button" className={styles.button} onClick={onRetry}>
          {messages.again}
        </button>
      )}
      {requestId && <p className={styles.soft}>{messages.failure.request(requestId)}</p>}
    </section>
  );
}

/** 404, or a malformed address. */
function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'invalid_parameter');
}

function failureMessage(error: unknown): string {
  if (error instanceof NetworkError) return messages.failure.unreachable;
  return error instanceof Error ? error.message : String(error);
}
