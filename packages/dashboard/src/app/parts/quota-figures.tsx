import type { NamespaceQuota } from '@bindery/contract';
import { Link } from '@tanstack/react-router';
import { formatBytes } from '../../format-quantities.ts';
import { toSection } from '../links.ts';
import { quotaMessages } from '../messages/namespace.ts';
import { messages } from '../messages.ts';
import styles from './quota-figures.module.css';

export const QUOTA_ID = 'quota';

/** From this share of a limit on, members are shown how to free space. */
const NEARLY_FULL = 0.9;

/** A namespace's usage of its quota. */
export function QuotaFigures({ quota }: { quota: NamespaceQuota }) {
  return (
    <ul id={QUOTA_ID} className={`row ${styles.amounts}`} aria-label={quotaMessages.title}>
      {quotaLimits(quota).map(({ amount, limit, used, text }) => (
        <li key={amount} className="detail">
          <span>{text}</span>
          {used !== null && (
            <meter
              className={styles.meter}
              min={0}
              max={Math.max(limit, 1)}
              high={limit * NEARLY_FULL}
              value={limit === 0 ? 1 : used}
              aria-label={text}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The same for members of the namespace, with advice on freeing space when little is left. */
export function OwnQuotaFigures({ namespace, quota }: { namespace: string; quota: NamespaceQuota }) {
  const text = quotaMessages;
  const isScarce = quotaLimits(quota).some(({ limit, used }) => used !== null && used >= limit * NEARLY_FULL);
  return (
    <>
      <QuotaFigures quota={quota} />
      {isScarce && (
        <p className={`caution ${styles.scarce}`}>
          {text.scarce} <Link {...toSection(namespace, 'trash')}>{messages.titles.trash}</Link>
        </p>
      )}
    </>
  );
}

/** Returns the amounts that are limited, each also in words; `used` is null until it has been measured again. */
export function quotaLimits({ limits, used }: NamespaceQuota) {
  const text = quotaMessages;
  return (['libraries', 'files', 'bytes'] as const).flatMap((amount) => {
    const limit = limits[amount];
    if (limit === null) return [];
    const format = amount === 'bytes' ? formatBytes : text.counts[amount];
    const held = used === null ? null : used[amount];
    const words = text.usedOf(held === null ? null : format(held), format(limit));
    return [{ amount, limit, used: held, text: words }];
  });
}
