import { NetworkError } from '@bindery/sdk/browser';
import { messages } from '../messages.ts';
import styles from './form.module.css';

/** Why something was not done, beside the control that was to do it. */
export function Problem({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  const sentence =
    error instanceof NetworkError
      ? messages.failure.network
      : error instanceof Error
        ? error.message
        : String(error);
  return (
    <p role="alert" className={styles.alert}>
      {sentence}
    </p>
  );
}
