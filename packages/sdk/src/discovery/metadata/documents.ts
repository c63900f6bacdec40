import type { SourceMetadata } from '@bindery/formats';
import { baseName, decodeText, extensionOf } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from '../formats/facts.ts';
import { type LicenseMatch, matchLicenseText } from '../license/match-text.ts';
import { namedLicenses, toSpdxExpression } from '../license/spdx-expressions.ts';

const LICENSE = /^(?:licen[cs]es?|copying|unlicense|notice|legal)(?:[-_. ][\w-]+(?:[. ][\w-]+)*)?$/i;
const README = /^readme(?:\.(?:txt|md|markdown|rst))?$/i;
const ABOUT =
  /^(?:readme|changelog|changes|history|contributing|contributors|authors|code_of_conduct|security|citation|maintainers|install|todo|faq)(?:[-_.].*)?$/i;
const TOOLS =
  /^(?:makefile|cmakelists\.txt|dockerfile|setup\.(?:py|cfg)|pyproject\.toml|requirements[\w-]*\.txt|package(?:-lock)?\.json|pixi\.(?:toml|lock)|package\.xml|(?:plugin|nodelet)[\w-]*\.xml|colcon\.(?:meta|pkg)|.*\.rosinstall|.*\.repos)$/i;

const CODE =
  /\.(?:py|ipynb|sh|bash|bat|cmd|ps1|[cm]?[jt]s|c|cc|cpp|cs|h|hpp|rs|go|java|rb|lua|m|mlx|gd|gdshader|tscn|tres|unity|prefab|bzl|bazel|cmake|mk|make|launch|rviz|srdf|repos|rosinstall|ya?ml|toml|ini|cfg|config|conf|lock|nix|in|godot|import|uid|meta|asmdef|url|md|rst|adoc|html?|css)$/i;
const TEXT = /\.(?:txt|log|pdf|gif|mp4|webm|mov|svg)$/i;
const SOURCE = /\.(?:java|kt|c|cc|cpp|cs|h|hpp|rs|go)$/i;
const BESIDE_SOURCE = /\.(?:jar|class|dll|so|dylib|exe|xml)$/i;
const CODE_FOLDER =
  /^(?:tests?|scripts?|tools?|ci|cmake|bazel|docker|dist|build|launch|hooks|docs?|media|images?|pictures?|photos?|renders?|renderings?|previews?|thumbnails?|figures?|screenshots?)$/i;
/** What lies at the top of a program or of a package of settings. */
const CODE_ROOT =
  /^(?:package\.(?:xml|json)|CMakeLists\.txt|setup\.py|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|ProjectVersion\.txt|__init__\.py)$/;
const ICON = /^(?:icon|logo|banner|cover|splash-?screen|screenshot|preview|thumbnail)(?:[-_.].*)?$/i;

/** Whether a folder next to assets, with nothing in it that viewers open, has programs, settings or documents. */
export function isCodeFolder(folder: string, files: readonly string[]): boolean {
  return (
    CODE_FOLDER.test(baseName(folder.slice(0, -1))) ||
    files.some((path) => CODE_ROOT.test(baseName(path))) ||
    files.every((path) => isAboutTheCollection(path) && !TEXT.test(path)) ||
    (files.some((path) => SOURCE.test(path)) &&
      files.every((path) => isAboutTheCollection(path) || BESIDE_SOURCE.test(path)))
  );
}

export function isLicenseFile(path: string): boolean {
  return LICENSE.test(baseName(path));
}

export function isReadme(path: string): boolean {
  return README.test(baseName(path));
}

/** Whether a file next to assets is about the whole collection and not part of it: `VERSION`, `upload.sh`, `icon.png`. */
export function isAboutTheCollection(path: string): boolean {
  const name = baseName(path);
  return (
    !name.includes('.') ||
    isProgramOrText(path) ||
    [LICENSE, ABOUT, TOOLS, ICON].some((about) => about.test(name))
  );
}

/** Whether the ending of a file says that it is a program, settings, a document or a film. */
export function isProgramOrText(path: string): boolean {
  return CODE.test(path) || TEXT.test(path);
}

const PICTURES: ReadonlySet<string> = new Set(['png', 'jpg', 'jpeg', 'webp', 'gif', 'avif']);

/** Whether a file is a picture for people to look at, and not an environment or a texture in a format for these. */
export function isPicture(path: string): boolean {
  return PICTURES.has(extensionOf(path));
}

const MAX_README_BYTES = 256 * 1024;
const MAX_DESCRIPTION = 500;
const MIN_DESCRIPTION = 20;
/** Headings of sections, not of documents. */
const SECTION_HEADINGS =
  /^(?:overview|introduction|about|description|contents|getting started|quick ?start|how to .*|build(?:ing)?|install(?:ation)?|usage|requirements|see also|screenshots?|images?)$/i;
/** Headings of sections that are not about what the asset is. */
const SKIPPED_HEADINGS =
  /^(?:changelog|changes|license|licence|install|usage|requirements|screenshot|acknowledg|credits|legal|table of contents|citation|contribut|publications?)/i;

/** Reads the first heading of a README, the first sentence about the asset, and its first picture. */
export function readReadme(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.head(MAX_README_BYTES)).replace(/\r\n?/g, '\n');
  return { type: 'readme', certain: true, references: [], metadata: readmeMetadata(text) };
}

export function readmeMetadata(text: string): SourceMetadata {
  let title: string | undefined;
  let isAside = false;
  let isLicense = false;
  let license: string | undefined;
  let description: string | undefined;
  for (const block of blocksOf(text)) {
    const heading = headingOf(block);
    if (heading !== undefined) {
      const words = plainText(heading);
      // A document that begins with a section has no title.
      title ??= SECTION_HEADINGS.test(words) ? '' : cleanTitle(words);
      isAside = SKIPPED_HEADINGS.test(words);
      isLicense = /^licen[cs]e$/i.test(words);
    } else if (isLicense) {
      license ??= namedLicenses(block) ?? namedLicenses(plainText(block)) ?? bareName(plainText(block));
    } else if (!isAside && description === undefined && isProse(block)) {
      const sentence = firstSentence(plainText(block));
      if (sentence.length >= MIN_DESCRIPTION) description = sentence;
    }
  }
  return {
    title: title || undefined,
    description,
    license: statedLicense(text, license),
    picture: findPicture(text),
  };
}

/** A section that consists of a few words and points nowhere else is the name of a licence, known or not. */
function bareName(text: string): string | undefined {
  const isName =
    /^\S+(?: \S+){0,2}$/.test(text) && !/\b(?:see|licen[cs]e|file|above|below|tbd|todo)\b/i.test(text);
  return isName ? text : undefined;
}

const STATED_LICENSE = /(?:^|[\s>*_-])licen[cs]e[*_ \t]*:[*_ \t]*(\S.*)$/im;

/**
 * Reads a line like `License: MPL-2.0`; null if it says that there is none. Without such a line it is what a section
 * about the licence names. Sentences are not understood.
 */
function statedLicense(text: string, inSection: string | undefined): string | null | undefined {
  const stated = STATED_LICENSE.exec(text)?.[1];
  if (stated === undefined) return inSection;
  const name = plainText(stated).replace(/\.$/, '');
  if (/^(?:n\/?a|none|unknown)$/i.test(name)) return null;
  return toSpdxExpression(name) !== undefined || /^(?:[al]?gpl|bsd)$/i.test(name) ? name : undefined;
}

function blocksOf(text: string): string[] {
  const withoutCode = text.replace(/^(```|~~~)[\s\S]*?^\1.*$/gm, '').replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  return withoutCode
    .replace(/^(#{1,6} .*)$/gm, '\n$1\n')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
    .filter((block) => block !== '');
}

/** `# Title`, or an underlined line. */
function headingOf(block: string): string | undefined {
  const [first = '', second = ''] = block.split('\n');
  const marked = /^#{1,6}\s+(\S.*)$/.exec(first.trimEnd())?.[1];
  return marked?.replace(/(?<!#)#+$/, '') ?? (/^(?:={3,}|-{3,})\s*$/.test(second) ? first : undefined);
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
    .replace(/!\[[^[\]]*\]\([^()]*\)/g, '')
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/<[^<>]*>/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|[*`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Shortens a title: `Arm Description (MJCF)` becomes `Arm`. */
function cleanTitle(title: string): string {
  return title
    .replace(/\((?:(?:MJCF|URDF|SDF|USD|glTF)[ ,&/]*(?:and )?)+\)$/i, '')
    .replace(/ Description ?$/i, '')
    .trim();
}

/** Returns the first picture that is stored with the README. Badges are stored elsewhere. */
function findPicture(text: string): string | undefined {
  for (const [, marked, tagged] of text.matchAll(
    /!\[[^[\]]*\]\(([^()\s]+)(?:\s[^()]*)?\)|<img\b[^<>]*?\bsrc=["']([^"'<>]+)["']/gi,
  )) {
    const address = marked ?? tagged ?? '';
    if (!/^[a-z][\w+.-]*:|^\/|\.svg$/i.test(address)) return address.replace(/^\.\//, '');
  }
  return undefined;
}

const MAX_LICENSE_BYTES = 512 * 1024;
const MAX_REMEMBERED = 64;

/** Matches by text, since collections repeat one text in many folders. */
const matchCache = new Map<string, LicenseMatch | null>();

/** Reads the licence that a file contains or names: by its text, else by its tags, its title or the URLs in it. */
export function readLicenseFile(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.head(MAX_LICENSE_BYTES));
  const matched = matchCached(text);
  const license = matched?.expression ?? namedLicenses(text);
  return {
    type: 'license',
    certain: true,
    references: [],
    metadata: license === undefined ? undefined : { license, certainty: matched?.certainty },
  };
}

function matchCached(text: string): LicenseMatch | null {
  const known = matchCache.get(text);
  if (known !== undefined) return known;
  const matched = matchLicenseText(text);
  if (matchCache.size >= MAX_REMEMBERED) matchCache.clear();
  matchCache.set(text, matched);
  return matched;
}
