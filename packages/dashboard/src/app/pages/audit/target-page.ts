import type { AuditEntry } from '@bindery/contract';

/** The page of an entry's target, for members of its namespace. */
export type TargetPage =
  | { to: '/$namespace'; params: { namespace: string } }
  | {
      to: '/$namespace/-/members' | '/$namespace/-/webhooks' | '/$namespace/-/trash';
      params: { namespace: string };
    }
  | {
      to: '/$namespace/$library';
      params: { namespace: string; library: string };
      search: { release?: string };
    }
  | { to: '/$namespace/-/projects/$project'; params: { namespace: string; project: string } }
  | { to: '/$namespace/-/notes/$note'; params: { namespace: string; note: string } };

type Named = Pick<AuditEntry, 'action' | 'namespace' | 'target'>;

/** Returns the page of an entry's target; null if it has none. */
export function targetPageOf({ action, namespace, target }: Named): TargetPage | null {
  if (namespace === null || target === null) return null;
  const params = { namespace };
  switch (action) {
    case 'library.change':
    case 'library.register':
    case 'library.restore':
      return { to: '/$namespace/$library', params: { namespace, library: target }, search: {} };
    case 'library.delete':
      return { to: '/$namespace/-/trash', params };
    case 'release.create':
    case 'release.delete':
      return releaseOf(namespace, target, action === 'release.create');
    case 'project.create':
    case 'project.change':
    case 'grant.set':
    case 'grant.remove':
      return {
        to: '/$namespace/-/projects/$project',
        params: { namespace, project: target.split('/')[0] as string },
      };
    case 'note.create':
    case 'note.change':
    case 'note.file':
    case 'note.unfile':
      return { to: '/$namespace/-/notes/$note', params: { namespace, note: target } };
    case 'member.set':
    case 'member.remove':
      return { to: '/$namespace/-/members', params };
    case 'webhook.change':
    case 'webhook.create':
    case 'webhook.pause':
    case 'webhook.redeliver':
    case 'webhook.rotate':
      return { to: '/$namespace/-/webhooks', params };
    default:
      return null;
  }
}

/** The target of a release is `library@release`; library names contain no `@`. */
function releaseOf(namespace: string, target: string, isThere: boolean): TargetPage {
  const [library = '', release = ''] = target.split('@');
  return {
    to: '/$namespace/$library',
    params: { namespace, library },
    search: isThere ? { release } : {},
  };
}

const OF_ACCOUNTS: ReadonlySet<AuditEntry['action']> = new Set([
  'account.change',
  'account.create',
  'logins.end',
  'member.remove',
  'member.set',
  'namespace.hand-over',
  'operator.set',
  'password.set',
]);

/** Returns the account that an entry is about, for operators; null if it is about something else. */
export function accountOf({ action, target }: Named): string | null {
  return target !== null && target !== '' && OF_ACCOUNTS.has(action) ? target : null;
}
