import type { AuditEntry } from '@bindery/contract';
import { Link } from '@tanstack/react-router';
import { dotted, formatExactTime } from '../../format.ts';
import { toInspectedNamespace, toUser } from '../../links.ts';
import { auditMessages as text } from '../../messages/audit.ts';
import { describeBrowser } from '../account/user-agent.ts';
import styles from './audit.module.css';
import { accountOf, targetPageOf } from './target-page.ts';

/** One line of the audit log: what was done, by whom, when, and from where. */
export function AuditLine({ entry, isAdmin }: { entry: AuditEntry; isAdmin: boolean }) {
  const { action, at, actor, via, address, userAgent, details } = entry;
  const said = Object.entries(details).filter(([, value]) => value !== null && value !== false);
  return (
    <li className={styles.line}>
      <p>
        <strong>{text.did(action)}</strong>{' '}
        {isAdmin ? <AdminTarget entry={entry} /> : <Target entry={entry} />}
      </p>
      <p className={`row ${styles.who}`}>
        {actor === null ? (
          text.nobody[via === 'machine' ? 'machine' : 'signedOut']
        ) : isAdmin ? (
          <Link {...toUser(actor)}>{actor}</Link>
        ) : (
          actor
        )}
        <time dateTime={at} className="detail">
          {formatExactTime(at)}
        </time>
      </p>
      {said.length > 0 && (
        <p className="detail">{dotted(...said.map(([name, value]) => text.detailOf(name, value)))}</p>
      )}
      <p className={`detail ${styles.from}`} title={userAgent ?? undefined}>
        {dotted(text.via[via], address, userAgent !== null && describeBrowser(userAgent))}
      </p>
    </li>
  );
}

/** The target of an entry of one namespace, linked to its page. */
function Target({ entry }: { entry: AuditEntry }) {
  const place = targetPageOf(entry);
  if (entry.target === null) return null;
  return place === null ? <span>{entry.target}</span> : <Link {...place}>{entry.target}</Link>;
}

/** The same for operators: links to the admin pages of accounts and namespaces, never into a namespace. */
function AdminTarget({ entry }: { entry: AuditEntry }) {
  const { namespace, target } = entry;
  const account = accountOf(entry);
  return (
    <span>
      {namespace !== null && <Link {...toInspectedNamespace(namespace)}>{namespace}</Link>}
      {namespace !== null && target !== null && ' / '}
      {account === null ? target : <Link {...toUser(account)}>{account}</Link>}
    </span>
  );
}
