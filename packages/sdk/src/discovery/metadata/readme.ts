import { decodeText } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from '../formats/format.ts';
import type { SourceMetadata } from './source.ts';

const MAX_BYTES = 256 * 1024;
const MAX_DESCRIPTION = 500;
const MIN_DESCRIPTION = 20;
/** Headings of sections that are not about what the asset is. */
const SKIPPED_HEADINGS =
  /^(?:changelog|changes|license|licence|install|usage|requirements|screenshot|acknowledg|credits|legal|table of contents|citation|contribut|publications?)/i;

/** Reads the first heading of a README, the first sentence about the asset, and its first picture. */
export function readReadme(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.head(MAX_BYTES)).replace(/\r\n?/g, '\n');
  return { type: 'readme', certain: true, references: [], metadata: readmeMetadata(text) };
}

export function readmeMetadata(text: string): SourceMetadata {
  let title: string | undefined;
  let isAside = false;
  let description: string | undefined;
  for (const block of blocksOf(text)) {
    const heading = headingOf(block);
    if (heading !== undefined) {
      if (title === undefined) title = cleanTitle(plainText(heading));
      isAside = SKIPPED_HEADINGS.test(plainText(heading));
    } else if (!isAside && description === undefined && isProse(block)) {
      const sentence = firstSentence(plainText(block));
      if (sentence.length >= MIN_DESCRIPTION) description = sentence;
    }
  }
  return { title: title || undefined, description, picture: findPicture(text) };
}

function blocksOf(text: string): string[] {
  const withoutCode = text.replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, '').replace(/<!--[\s\S]*?-->/g, '');
  return withoutCode
    .replace(/^(#{1,6} .*)$/gm, '\n$1\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

/** `# Title`, or an underlined line. */
function headingOf(block: string): string | undefined {
  const [first = '', second = ''] = block.split('\n');
  const marked = /^#{1,6}\s+(.*?)\s*#*$/.exec(first)?.[1];
  return marked ?? (/^(?:={3,}|-{3,})\s*$/.test(second) ? first : undefined);
}

/** Whether a block is a paragraph and not a list, table, quotation, picture or markup. */
function isProse(block: string): boolean {
  return !/^(?:[-*+>|<!]|\d+\.|\[!\[|\[[^\]]*\]:|={3,})/.test(block) && plainText(block).includes(' ');
}

function firstSentence(text: string): string {
  const end = /[.!?](?=\s+[\p{Lu}"'(])/u.exec(text);
  const sentence = end === null ? text : text.slice(0, end.index + 1);
  return sentence.length <= MAX_DESCRIPTION ? sentence : `${sentence.slice(0, MAX_DESCRIPTION - 1)}…`;
}

function plainText(text: string): string {
  return text
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Shortens a title: `Arm Description (MJCF)` becomes `Arm`. */
function cleanTitle(title: string): string {
  return title
    .replace(/\s*\((?:MJCF|URDF|SDF|USD|glTF)\)$/i, '')
    .replace(/\s+Description$/i, '')
    .trim();
}

/** Returns the first picture that is stored with the README. Badges are stored elsewhere. */
function findPicture(text: string): string | undefined {
  for (const [, marked, tagged] of text.matchAll(
    /!\[[^\]]*\]\(([^)\s]+)[^)]*\)|<img\b[^<>]*?\bsrc=["']([^"']+)["']/gi,
  )) {
    const address = marked ?? tagged ?? '';
    if (!/^[a-z][\w+.-]*:|^\/|\.svg$/i.test(address)) return address.replace(/^\.\//, '');
  }
  return undefined;
}
