import type { AuditEntry } from '@bindery/contract';
import { toLibrary, toNote, toProject, toSection } from '../../links.ts';

type Named = Pick<AuditEntry, 'action' | 'namespace' | 'target'>;

/** Returns the page of an entry's target, for members of its namespace; null if it has none. */
export function targetPageOf({ action, namespace, target }: Named) {
  if (namespace === null || target === null) return null;
  switch (action) {
    case 'library.change':
    case 'library.register':
    case 'library.restore':
      return toLibrary({ namespace, library: target });
    case 'library.delete':
      return toSection(namespace, 'trash');
    case 'release.create':
    case 'release.delete': {
      // Library names contain no `@`.
      const [library = '', release] = target.split('@');
      return toLibrary({ namespace, library, release: action === 'release.create' ? release : undefined });
    }
    case 'project.create':
    case 'project.change':
    case 'grant.set':
    case 'grant.remove':
      return toProject(namespace, target.split('/')[0] as string);
    case 'note.create':
    case 'note.change':
    case 'note.file':
    case 'note.unfile':
      return toNote(namespace, target);
    case 'member.set':
    case 'member.remove':
      return toSection(namespace, 'members');
    case 'webhook.change':
    case 'webhook.create':
    case 'webhook.pause':
    case 'webhook.redeliver':
    case 'webhook.rotate':
      return toSection(namespace, 'webhooks');
    default:
      return null;
  }
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
