import type { NamespaceQuota } from '@bindery/contract';
import { formatBytes, formatNumber } from './text.ts';

const AMOUNTS = [
  ['libraries', formatNumber],
  ['files', formatNumber],
  ['bytes', formatBytes],
] as const;

/** Returns each amount that has a limit: `45 GiB of 50 GiB`, with `?` for what is used if that is not known. */
export function quotaFields({ limits, used }: NamespaceQuota): [string, string][] {
  return AMOUNTS.flatMap(([amount, format]) => {
    const limit = limits[amount];
    if (limit === null) return [];
    return [
      [amount, `${used === null ? '?' : format(used[amount])} of ${format(limit)}`] as [string, string],
    ];
  });
}
