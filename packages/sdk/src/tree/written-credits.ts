import { readFileSync } from 'node:fs';

/** Names of the credits files in the folder of the assets they are about. */
export const CREDITS_FILES = { page: 'CREDITS.md', document: 'CREDITS.spdx.json' } as const;

/** The first line of a page that Bindery wrote. */
export const PAGE_MARK =
  '<!-- Written by Bindery; the next sync or pull with --credits replaces this file. -->\n';
const TOOL = /^Tool: bindery-/;

/** Returns the creation time in a document that Bindery wrote; null for any other text. */
export function documentTime(text: string): string | null {
  try {
    const { created, creators } = JSON.parse(text).creationInfo;
    return TOOL.test(creators[0]) && typeof created === 'string' ? created : null;
  } catch {
    return null;
  }
}

/** Whether a file at the top of a folder is a credits file that Bindery wrote there, not the work of an author. */
export function isWrittenCredits(file: string, name: string): boolean {
  if (name === CREDITS_FILES.page) return readFileSync(file, 'utf8').startsWith(PAGE_MARK);
  return name === CREDITS_FILES.document && documentTime(readFileSync(file, 'utf8')) !== null;
}
