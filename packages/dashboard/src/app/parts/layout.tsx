import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { keepFocusPlace } from '../focus-place.ts';
import icon from '../icon.svg';
import { messages } from '../messages.ts';
import { Shortcuts } from '../palette/shortcuts.tsx';
import { sessionQuery } from '../queries.ts';
import { signOut } from '../session.ts';
import styles from './layout.module.css';
import { ServiceStatus } from './service-status.tsx';
import { useSignInAddress } from './sign-in-first.tsx';

/** The frame of every page: navigation, the signed-in user, and the main content. */
export function Layout() {
  const main = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    if (path === first.current) return;
    first.current = path;
    main.current?.focus({ preventScroll: true });
  }, [path]);
  useEffect(() => (main.current ? keepFocusPlace(main.current) : undefined), []);
  return (
    <>
      <a className={styles.skip} href="#main">
        {messages.skip}
      </a>
      <header className={styles.header}>
        <Link to="/" className={styles.brand}>
          <img src={icon} alt="" width="28" height="28" />
          {messages.product}
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
    </>
  );
}

function UserMenu() {
  const { data: session } = useQuery(sessionQuery);
  const signIn = useSignInAddress();
  if (session === undefined) return null;
  if (session === null) {
    return (
      <a className={styles.signIn} href={signIn}>
        {messages.signIn}
      </a>
    );
  }
  return (
    <div className={styles.person}>
      {session.isOperator && (
        <Link to="/-/admin" className={styles.name}>
          {messages.admin.title}
        </Link>
      )}
      <Link to="/-/account" className={styles.name}>
        {session.user.displayName}
      </Link>
      <button type="button" className={styles.quiet} onClick={() => signOut(session)}>
        {messages.signOut}
      </button>
    </div>
  );
}
