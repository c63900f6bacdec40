import type { FastifyRequest } from 'fastify';

const CHOSEN = /(?:^|;\s*)bindery-theme=(light|dark)(?:;|$)/;

/**
 * Returns the color schemes that a document is shown in, for its meta element `color-scheme`: the one that was chosen in
 * the dashboard, which keeps it in a cookie, or else the system's. With the document, nothing is painted in another
 * theme first, and pages without scripts follow it too.
 */
export function colorSchemeFor({ headers }: FastifyRequest): 'light' | 'dark' | 'light dark' {
  const chosen = CHOSEN.exec(headers.cookie ?? '')?.[1];
  return chosen === 'light' || chosen === 'dark' ? chosen : 'light dark';
}
