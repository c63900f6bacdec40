import type { NamespaceQuota } from '@bindery/contract';
import { formatBytes } from '../format.ts';
import { messages } from '../messages.ts';
import form from './form.module.css';

/** What a namespace holds of what it may hold. */
export function QuotaFigures({ quota: { limits, used } }: { quota: NamespaceQuota }) {
  const text = messages.quota;
  const bounded = (['libraries', 'files', 'bytes'] as const).flatMap((amount) => {
    const limit = limits[amount];
    if (limit === null) return [];
    const format = amount === 'bytes' ? formatBytes : text.counts[amount];
    return [text.usedOf(used === null ? null : format(used[amount]), format(limit))];
  });
  return <p className={form.soft}>{bounded.join(' · ')}</p>;
}
