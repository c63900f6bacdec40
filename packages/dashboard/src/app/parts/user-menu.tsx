import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { messages } from '../messages.ts';
import { sessionQuery } from '../queries.ts';
import { signOut } from '../session.ts';
import { chooseTheme, THEMES, useThemeChoice } from '../theme.ts';
import { useSignInAddress } from './notices.tsx';
import styles from './user-menu.module.css';

const MENU = 'user-menu';

/** The menu of whoever looks at the page: their account, the theme, signing out; signed out, signing in beside it. */
export function UserMenu() {
  const { data: session } = useQuery(sessionQuery);
  const signIn = useSignInAddress();
  const menu = useRef<HTMLDivElement>(null);
  if (session === undefined) return null;
  const close = () => menu.current?.hidePopover();
  const name = session?.user.displayName;
  return (
    <div className={styles.person}>
      {session === null && (
        <a className={`button ${styles.signIn}`} href={signIn}>
          {messages.signIn}
        </a>
      )}
      <button type="button" className={styles.opener} popoverTarget={MENU}>
        <span className={styles.letter} aria-hidden="true">
          {name === undefined ? '☰' : [...name][0]?.toUpperCase()}
        </span>
        {name !== undefined && <span className="one-line hidden-if-narrow">{name}</span>}
        <span className="visually-hidden">{messages.menu.title}</span>
      </button>
      <div ref={menu} id={MENU} popover="auto" className={styles.menu}>
        {session && (
          <Link to="/-/account" className={styles.item} onClick={close}>
            {messages.titles.account}
          </Link>
        )}
        {session?.isOperator && (
          <Link to="/-/admin" className={styles.item} onClick={close}>
            {messages.titles.admin}
          </Link>
        )}
        <ThemeSwitch />
        {session && (
          <button type="button" className={styles.item} onClick={() => signOut(session)}>
            {messages.signOut}
          </button>
        )}
      </div>
    </div>
  );
}

function ThemeSwitch() {
  const chosen = useThemeChoice();
  return (
    <fieldset className={styles.themes}>
      <legend>{messages.menu.theme}</legend>
      {THEMES.map((theme) => (
        <label key={theme} className={styles.theme}>
          <input
            type="radio"
            name="theme"
            className="visually-hidden"
            checked={theme === chosen}
            onChange={() => chooseTheme(theme)}
          />
          {messages.menu.themes[theme]}
        </label>
      ))}
    </fieldset>
  );
}
