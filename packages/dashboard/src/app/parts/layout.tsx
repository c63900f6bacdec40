import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useIsUnreachable } from '../connection.ts';
import { keepFocusPlace } from '../focus-place.ts';
import icon from '../icon.svg';
import { messages } from '../messages.ts';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { sessionQuery } from '../queries.ts';
import { focusPage, rememberPlaces } from '../return-place.ts';
import { CompareBar } from '../search/compared.tsx';
import { queries } from '../session.ts';
import styles from './layout.module.css';
import { useSignInAddress } from './notices.tsx';
import { UserMenu } from './user-menu.tsx';

/** The frame of every page: navigation, the signed-in user, and the main content. */
export function Layout() {
  const main = useRef<HTMLElement>(null);
  const router = useRouter();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    if (path === first.current) return;
    first.current = path;
    return main.current ? focusPage(router, main.current) : undefined;
  }, [path, router]);
  useEffect(() => (main.current ? keepFocusPlace(main.current) : undefined), []);
  useEffect(() => (main.current ? rememberPlaces(router, main.current) : undefined), [router]);
  return (
    <>
      <a className={styles.skip} href="#main">
        {messages.skip}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <img src={icon} alt="" width="28" height="28" />
          <span className={styles.name}>{messages.product}</span>
        </Link>
        <div className={styles.tools}>
          <Shortcuts />
          <UserMenu />
        </div>
      </header>
      <ServiceStatus />
      <main id="main" ref={main} tabIndex={-1} className={styles.main}>
        <Outlet />
      </main>
      <CompareBar />
    </>
  );
}

/** Shown above every page if the service is unreachable or this browser was signed out. */
function ServiceStatus() {
  const isUnreachable = useIsUnreachable(queries);
  const wasSignedOut = useWasSignedOut();
  const signIn = useSignInAddress();
  return (
    <div role="status">
      {isUnreachable && <p className={styles.status}>{messages.failure.network}</p>}
      {wasSignedOut && (
        <p className={styles.status}>
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
