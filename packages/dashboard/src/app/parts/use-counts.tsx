import { messages } from '../messages.ts';

/** How often assets were downloaded and pinned by projects; nothing where the service does not count. */
export function UseCounts({
  downloads,
  usedBy,
}: {
  downloads?: number | undefined;
  usedBy?: number | undefined;
}) {
  if (downloads === undefined || usedBy === undefined) return null;
  return <span>{messages.uses.of(downloads, usedBy)}</span>;
}
