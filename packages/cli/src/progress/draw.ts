import { formatBytes, formatDuration, formatNumber } from '../output/text.ts';

export interface ProgressState {
  label: string;
  bytes: number;
  files: number;
  totalBytes: number;
  totalFiles: number;
}

const BAR = 24;

/** One line of progress, cut to `columns`; null draws it without a bar, for logs. */
export function drawLine(state: ProgressState, bytesPerSecond: number, columns: number | null): string {
  const { label, bytes, files, totalBytes, totalFiles } = state;
  const share = shareDone(state);
  const parts: string[] = [];
  if (totalFiles > 0) parts.push(`${formatNumber(files)}/${formatNumber(totalFiles)} files`);
  else if (files > 0) parts.push(`${formatNumber(files)} files`);
  if (totalBytes > 0) parts.push(`${formatBytes(bytes)}/${formatBytes(totalBytes)}`);
  else if (bytes > 0) parts.push(formatBytes(bytes));
  if (bytesPerSecond > 0) {
    parts.push(`${formatBytes(Math.round(bytesPerSecond))}/s`);
    if (totalBytes > bytes) parts.push(`${formatDuration((totalBytes - bytes) / bytesPerSecond)} left`);
  }
  const percent = share === null ? '' : `${String(Math.floor(share * 100)).padStart(3)}%  `;
  const facts = percent + parts.join('  ');
  if (columns === null) return `${label} ${facts.trim()}`.trim();
  const filled = share === null ? 0 : Math.round(share * BAR);
  const bar = share === null ? '' : `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `;
  const whole = `${label} ${bar}${facts}`;
  return whole.length < columns ? whole : `${label} ${facts}`.slice(0, Math.max(0, columns - 1));
}

/** From 0 to 1 by bytes where they are known, else by files; null where nothing is. */
function shareDone({ bytes, files, totalBytes, totalFiles }: ProgressState): number | null {
  if (totalBytes > 0) return Math.min(1, bytes / totalBytes);
  if (totalFiles > 0) return Math.min(1, files / totalFiles);
  return null;
}
