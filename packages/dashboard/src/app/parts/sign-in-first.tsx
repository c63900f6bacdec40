import { useRouterState } from '@tanstack/react-router';
import { messages } from '../messages.ts';
import styles from './notice.module.css';

/** A page that is somebody's own, seen by nobody. */
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

/** The sign-in page, which leads back here. */
export function useSignInAddress(): string {
  const here = useRouterState({ select: ({ location }) => location.publicHref });
  return `/sign-in?${new URLSearchParams({ next: here })}`;
}
