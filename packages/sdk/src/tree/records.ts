import { hash } from 'node:crypto';
import { existsSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSystemError } from '../failures.ts';
import { removeOlderThan, writeFileAtomically } from './files.ts';

/*
 * Records and caches of this machine: text files whose first line names their format and holds the hash of the rest, so
 * that a damaged one counts as missing.
 */

/** Returns what was recorded: `missing` if nothing was, `damaged` if it cannot be read or has another format. */
export function readRecord(file: string, format: string): { text: string } | 'missing' | 'damaged' {
  try {
    const whole = readFileSync(file, 'utf8');
    const end = whole.indexOf('\n') + 1;
    const text = whole.slice(end);
    return whole.slice(0, end) === headLine(format, text) ? { text } : 'damaged';
  } catch (error) {
    return isSystemError(error, 'ENOENT') ? 'missing' : 'damaged';
  }
}

/** Like `readRecord`; returns null if there is nothing that can be used, or nothing that is `accepted`. */
export function readCached(
  file: string,
  format: string,
  accepted: (stats: Stats) => boolean = () => true,
): string | null {
  try {
    if (!accepted(statSync(file))) return null;
  } catch {
    return null;
  }
  const record = readRecord(file, format);
  return typeof record === 'string' ? null : record.text;
}

/**
 * Replaces a record. Before a new one is written, those of its folder that are older than `keptDays` are deleted. Never
 * throws: returns false if it cannot be written.
 */
export function writeRecord(file: string, format: string, text: string, keptDays = 90): boolean {
  try {
    if (!existsSync(file)) removeOlderThan(dirname(file), keptDays);
    writeFileAtomically(file, headLine(format, text) + text);
    return true;
  } catch {
    return false;
  }
}

function headLine(format: string, text: string): string {
  return `${format} ${hash('sha256', text)}\n`;
}
