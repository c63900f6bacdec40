import { useRouterState } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import styles from './notice.module.css';

/** Shown on pages that require signing in. */
export function SignInFirst() {
  return (
    <section className={styles.notice}>
      <title>{`${messages.signIn} · ${messages.product}`}</title>
      <h1>{messages.signInFirst}</h1>
      <a className={styles.button} href={useSignInAddress()}>
        {messages.signIn}
      </a>
    </section>
  );
}

/** The address of the sign-in page, which returns to this page. */
export function useSignInAddress(): string {
  const here = useRouterState({ select: ({ location }) => location.publicHref });
  return `/sign-in?${new URLSearchParams({ next: here })}`;
}
