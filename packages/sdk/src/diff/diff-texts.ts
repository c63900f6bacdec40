import type { ManifestFile } from '@bindery/contract';
import { structuredPatch } from 'diff';

/** The largest file, in bytes, and the most changed lines that are compared. Real changes of models are far smaller. */
const MAX_BYTES = 256 * 1024;
const MAX_CHANGED_LINES = 4_000;

/** Unchanged lines around each change. */
const CONTEXT = 3;

/** Lines that changed, with some around them. */
export interface TextChange {
  /** The number of its first line on each side, from 1. */
  before: number;
  after: number;
  /** Each begins with a space (on both sides), `-` (only before) or `+` (only after). */
  lines: string[];
}

/** Whether files are short enough for `diffTexts`. */
export function isShortText(...files: readonly Pick<ManifestFile, 'size'>[]): boolean {
  return files.every(({ size }) => size <= MAX_BYTES);
}

/** Compares two texts line by line. Returns null if one is not text in UTF-8, or if they differ in too many lines. */
export function diffTexts(before: Uint8Array, after: Uint8Array): TextChange[] | null {
  const [from, to] = [textOf(before), textOf(after)];
  if (from === null || to === null) return null;
  const options = { context: CONTEXT, maxEditLength: MAX_CHANGED_LINES };
  const patch = structuredPatch('', '', from, to, undefined, undefined, options);
  return (
    patch?.hunks.map(({ oldStart, newStart, lines }) => ({ before: oldStart, after: newStart, lines })) ??
    null
  );
}

function textOf(bytes: Uint8Array): string | null {
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
