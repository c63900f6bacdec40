import { messages } from '../messages.ts';

/** Says how often assets were downloaded and pinned by projects; null if they were not, or nobody counts. */
export function describeUses({
  downloads = 0,
  usedBy = 0,
}: {
  downloads?: number | undefined;
  usedBy?: number | undefined;
}): string | null {
  return downloads + usedBy === 0 ? null : messages.uses.of(downloads, usedBy);
}
