import { messages } from '../messages.ts';
import styles from './notice.module.css';

/** Shown for hidden and missing resources alike. */
export function NotFound() {
  return (
    <section className={styles.notice}>
      <title>{`${messages.failure.missing} · ${messages.product}`}</title>
      <h1>{messages.failure.missing}</h1>
      <p>{messages.failure.missingDetail}</p>
    </section>
  );
}
