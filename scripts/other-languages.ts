import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isThing } from '../packages/server/src/revision/words/english-nouns.ts';
import { termsOfName } from '../packages/server/src/revision/words/other-languages.ts';

/*
 * Writes what words of other languages are in English: `node scripts/other-languages.ts <annotations> <translations>`, from
 * the folder `annotations` of the package cldr-annotations-full, and `dist/translations` of @openstreetmap/id-tagging-schema.
 * A line per name: its terms, and what names the same in English.
 */

const [annotations, presets] = process.argv.slice(2);
if (annotations === undefined || presets === undefined)
  throw new Error('usage: node scripts/other-languages.ts <annotations> <translations>');

/** By number of speakers, without English; German and Japanese since many who build robots speak them. */
const LANGUAGES = ['zh', 'hi', 'es', 'ar', 'fr', 'bn', 'pt', 'ru', 'ur', 'id', 'de', 'ja'];

/** How much it says if a name and an English one stand for the same. */
const NAME = 4;
const TERM = 0.5;
const KEYWORD = 3;
/** How much more it says if several pictures agree. */
const SEVERAL = 1.5;

/** The share of pictures that two keywords must have in common. */
const ALIKE = 0.5;

/** Names with more terms are sentences. */
const MAX_TERMS = 6;

/** What is more than these words describes a picture. */
const MAX_WORDS = 3;
const DESCRIBES = /\b(?:and|with|of|in|on|for|from|without|sign|symbol|button|selector|face)\b/;

type Annotations = Record<string, { default?: string[]; tts?: string[] }>;
type Presets = Record<string, { name?: string; terms?: string }>;

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const annotationsOf = (language: string): Annotations =>
  readJson(join(annotations, language, 'annotations.json')).annotations.annotations;
const presetsOf = (language: string): Presets =>
  readJson(join(presets, `${language}.json`))[language].presets.presets;

/** Returns an English name without what is in parentheses; null if it is no name of a thing. */
function englishOf(text: string): string | null {
  const name = text
    .toLowerCase()
    .replace(/\(.*?\)/g, '')
    .replace(/[’']s?\b/g, '')
    .trim();
  if (!/^[a-z]+(?: [a-z]+)*$/.test(name) || DESCRIBES.test(name)) return null;
  const words = name.split(' ');
  if (words.length > MAX_WORDS || !isThing(words)) return null;
  // A `vertical traffic light` is a traffic light.
  const first = words.findIndex((word) => isThing([word]));
  return words.slice(first).join(' ');
}

/** Names in one language, each with the English names that it may have and how much speaks for them. */
class Names {
  readonly #found = new Map<string, Map<string, number>>();

  add(name: string, english: string | null, weight: number): void {
    const key = termsOfName(name.replace(/\(.*?\)/g, '')).join(' ');
    if (english === null || key === '' || /\d/.test(key) || key.split(' ').length > MAX_TERMS) return;
    const own = this.#found.get(key) ?? new Map<string, number>();
    own.set(english, (own.get(english) ?? 0) + weight);
    this.#found.set(key, own);
  }

  /** Yields each name with the most probable English one. */
  *best(): Generator<[key: string, english: string, weight: number]> {
    for (const [key, own] of this.#found) {
      const [first] = [...own].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
      if (first) yield [key, ...first];
    }
  }
}

/** The pictures of each keyword. */
function picturesOf(all: Annotations): Map<string, Set<string>> {
  const pictures = new Map<string, Set<string>>();
  for (const [picture, { default: keywords = [], tts = [] }] of Object.entries(all))
    for (const keyword of new Set([...keywords, ...tts].map((one) => one.toLowerCase())))
      pictures.set(keyword, (pictures.get(keyword) ?? new Set()).add(picture));
  return pictures;
}

const english = { annotations: annotationsOf('en'), presets: presetsOf('en') };
const englishPictures = picturesOf(english.annotations);

function addAnnotations(names: Names, own: Annotations): void {
  for (const [keyword, pictures] of picturesOf(own)) {
    const candidates = new Set([...pictures].flatMap((one) => english.annotations[one]?.default ?? []));
    for (const candidate of candidates) {
      const others = englishPictures.get(candidate.toLowerCase()) ?? new Set();
      const alike = (2 * pictures.intersection(others).size) / (pictures.size + others.size);
      const several = pictures.size > 1 ? SEVERAL : 1;
      if (alike >= ALIKE) names.add(keyword, englishOf(candidate), KEYWORD * alike * several);
    }
  }
  const ownPictures = picturesOf(own);
  for (const [picture, { tts = [], default: keywords = [] }] of Object.entries(own)) {
    const [name = ''] = english.annotations[picture]?.tts ?? [];
    for (const one of tts) names.add(one, englishOf(name), NAME);
    // Of keywords that stand for one picture alone, the name of the picture is the best.
    for (const one of keywords)
      if (ownPictures.get(one.toLowerCase())?.size === 1) names.add(one, englishOf(name), TERM);
  }
}

/** Where people go for many things, which are listed as words for it. */
const PLACES =
  /^(?:shop|craft|office|club|healthcare|industrial|advertising|playground|railway|amenity\/(?:fast_food|restaurant|cafe))(?:\/|$)/;

function addPresets(names: Names, own: Presets): void {
  for (const [preset, { name, terms = '' }] of Object.entries(own)) {
    if (PLACES.test(preset)) continue;
    const known = english.presets[preset]?.name;
    const meant = known === undefined ? null : englishOf(known);
    if (name !== undefined) names.add(name, meant, NAME);
    for (const term of terms.split(/[,،、，]/)) names.add(term, meant, TERM);
  }
}

const all = new Map<string, { english: string; weight: number }>();
for (const language of LANGUAGES) {
  const names = new Names();
  addAnnotations(names, annotationsOf(language));
  addPresets(names, presetsOf(language === 'zh' ? 'zh-CN' : language));
  for (const [key, found, weight] of names.best()) {
    const before = all.get(key);
    if (key !== termsOfName(found).join(' ') && (before === undefined || before.weight < weight))
      all.set(key, { english: found, weight });
  }
}
const target = new URL('../packages/server/src/revision/words/other-languages.txt', import.meta.url);
const lines = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, { english }]) => `${key}:${english}`);
writeFileSync(target, `${lines.join('\n')}\n`);
