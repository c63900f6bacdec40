import { ApiError, NetworkError } from '@bindery/sdk/browser';
import { messages } from '../messages.ts';
import styles from './form.module.css';
import { useSignInAddress } from './sign-in-first.tsx';

/** Why an action failed, shown next to its control. */
export function InlineError({ error }: { error: unknown }) {
  const signIn = useSignInAddress();
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && error.code === 'recent_sign_in_required') {
    return (
      <p role="alert" className={styles.alert}>
        {messages.signInAgain} <a href={`${signIn}&again=yes`}>{messages.signIn}</a>
      </p>
    );
  }
  const sentence =
    error instanceof NetworkError
      ? messages.failure.unreachable
      : error instanceof Error
        ? error.message
        : String(error);
  return (
    <p role="alert" className={styles.alert}>
      {sentence}
    </p>
  );
}
