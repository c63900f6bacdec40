import { messages } from '../../messages.ts';
import form from '../../parts/form.module.css';
import styles from './push.module.css';

/** What stands in place of a push while nobody is signed in. The page stays as it is: signing in happens in another tab. */
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
