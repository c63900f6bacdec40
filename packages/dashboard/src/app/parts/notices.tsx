import { ApiError, NetworkError } from '@bindery/sdk/browser';
import { Link, useParams, useRouterState, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { messageOf } from '../../ask.ts';
import { toLibrary, toNamespace } from '../links.ts';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import styles from './notices.module.css';

/** What went wrong and what to do. Hidden and missing resources look alike. */
export function FailureNotice({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  if (isMissing(error)) return <NotFound />;
  if (error instanceof ApiError && error.status === 401) return <SignInFirst />;
  const { title, forbidden, request } = messages.failure;
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <section className={styles.notice} role="alert">
      {isForbidden && <title>{`${forbidden} · ${messages.product}`}</title>}
      <h1>{isForbidden ? forbidden : title}</h1>
      <p>{error instanceof NetworkError ? messages.failure.unreachable : messageOf(error)}</p>
      {onRetry && !isForbidden && <Button isMain label={messages.again} onClick={onRetry} />}
      {error instanceof ApiError && error.requestId && !isForbidden && (
        <p className="small">{request(error.requestId)}</p>
      )}
    </section>
  );
}

/** 404, or a malformed address. */
function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.code === 'invalid_parameter');
}

/** An empty list, and what to do about it. */
export function EmptyState({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <section className={styles.notice}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Shown for hidden and missing resources alike, with the ways on that the address has. */
export function NotFound() {
  const { namespace, library, asset } = useParams({ strict: false });
  const { release } = useSearch({ strict: false });
  const named = asset ?? library;
  const hasLibrary = library !== undefined && (asset !== undefined || release !== undefined);
  return (
    <section className={styles.notice}>
      <title>{`${messages.failure.missing} · ${messages.product}`}</title>
      <h1>{messages.failure.missing}</h1>
      <p>{messages.failure.missingDetail}</p>
      <p className={`row ${styles.ways}`}>
        {namespace !== undefined && hasLibrary && (
          <Link {...toLibrary({ namespace, library })}>
            {messages.failure.goTo(`${namespace}/${library}`)}
          </Link>
        )}
        {namespace !== undefined && named !== undefined && (
          <>
            <Link {...toNamespace(namespace)}>{messages.failure.goTo(namespace)}</Link>
            <Link to="/" search={{ q: named }}>
              {messages.failure.searchFor(named)}
            </Link>
          </>
        )}
      </p>
    </section>
  );
}

/** Shown on pages that require signing in. */
export function SignInFirst() {
  return (
    <section className={styles.notice}>
      <title>{`${messages.signIn} · ${messages.product}`}</title>
      <h1>{messages.signInFirst}</h1>
      <a className="button" href={useSignInAddress()}>
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
