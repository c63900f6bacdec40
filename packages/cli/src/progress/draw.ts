import { formatBytes, formatDuration, formatNumber } from '../output/text.ts';

export interface ProgressState {
  label: string;
  bytes: number;
  items: number;
  totalBytes: number;
  totalItems: number;
  /** What the items are. */
  unit: string;
}

const WIDEST_BAR = 24;
const NARROWEST_BAR = 6;

/** Returns one line of progress, truncated to `columns`; null draws it without a bar, for logs. */
export function drawLine(state: ProgressState, bytesPerSecond: number, columns: number | null): string {
  const { label, bytes, items, totalBytes, totalItems, unit } = state;
  const share = shareDone(state);
  const parts: string[] = [];
  if (totalItems > 0) parts.push(`${formatNumber(items)}/${formatNumber(totalItems)} ${unit}`);
  else if (items > 0) parts.push(`${formatNumber(items)} ${unit}`);
  if (totalBytes > 0) parts.push(`${formatBytes(bytes)}/${formatBytes(totalBytes)}`);
  else if (bytes > 0) parts.push(formatBytes(bytes));
  if (bytesPerSecond > 0) {
    parts.push(`${formatBytes(Math.round(bytesPerSecond))}/s`);
    if (totalBytes > bytes) parts.push(`${formatDuration((totalBytes - bytes) / bytesPerSecond)} left`);
  }
  const percent = share === null ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
  const facts = percent + parts.join('  ');
  if (columns === null) return `${label} ${facts.trim()}`.trim();
  const room = columns - 1 - `${label}  ${facts}`.length;
  const bar = share === null || room < NARROWEST_BAR ? '' : `${drawBar(share, Math.min(WIDEST_BAR, room))} `;
  return `${label} ${bar}${facts}`.slice(0, Math.max(0, columns - 1));
}

function drawBar(share: number, width: number): string {
  const filled = Math.round(share * width);
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

/** From 0 to 1 by bytes if their total is known, else by items; null if neither is known. */
function shareDone({ bytes, items, totalBytes, totalItems }: ProgressState): number | null {
  if (totalBytes > 0) return Math.min(1, bytes / totalBytes);
  if (totalItems > 0) return Math.min(1, items / totalItems);
  return null;
}
