import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import styles from './push.module.css';

/** Shown instead of a push while nobody is signed in. The page keeps its state: signing in opens another tab. */
export function SignedOut() {
  return (
    <section className={styles.failed}>
      <p role="alert" className={form.alert}>
        {messages.push.signedOut}
      </p>
      <div className={form.actions}>
        <a className={form.button} href="/sign-in?next=/app/" target="_blank" rel="noreferrer">
          {messages.signIn}
        </a>
      </div>
    </section>
  );
}
