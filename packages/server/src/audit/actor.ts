import type { AuditVia } from '@bindery/contract';
import type { RequestOrigin, Viewer } from '../access/viewer.ts';

/** Who makes a change, as recorded in the audit log. */
export interface AuditActor {
  userName: string | null;
  via: AuditVia;
  origin: RequestOrigin | null;
}

/** The operator on the service's own machine. */
export const MACHINE: AuditActor = { userName: null, via: 'machine', origin: null };

/** A visitor of the service's own pages, signed in or about to sign in. */
export function visitor(userName: string | null, origin: RequestOrigin | null): AuditActor {
  return { userName, via: 'page', origin };
}

const VIA = { browser: 'dashboard', service: 'login', personal: 'token' } as const;

export function actorOf(viewer: Viewer): AuditActor {
  const origin = viewer.origin ?? null;
  if (viewer.kind === 'anonymous') return { userName: null, via: 'page', origin };
  return { userName: viewer.userName, via: VIA[viewer.token.kind], origin };
}
