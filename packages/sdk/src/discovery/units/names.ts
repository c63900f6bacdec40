import { ASSET_ID } from '@bindery/contract/wire';
import { baseName } from '@bindery/formats';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { LibraryFiles } from '../graph/closure.ts';
import { isGenericFolder, markersIn } from './model-folders.ts';
import { mainModel } from './models.ts';
import type { Unit } from './units.ts';

export interface NamedUnit {
  unit: Unit;
  /** The name of its folder or file. */
  name: string;
}

/**
 * Returns units by asset id. The id is the name of the folder or file. For units that the author did not choose it also
 * contains the names of the folders above, except generic ones (`models`, `src`), so that files elsewhere never change
 * an id. If two would be the same, whole paths are used.
 */
export function nameUnits(
  units: readonly Unit[],
  isChosen: boolean,
  library: LibraryFiles,
): Map<string, NamedUnit> {
  const paths = units.map((unit) => pathOf(unit, library));
  const names = paths.map((path) => (isChosen ? baseName(path) : distinctiveName(path)));
  const counts = countValues(names);
  const wanted = names.map((name, at) => ((counts.get(name) ?? 0) > 1 ? (paths[at] ?? '') : name));
  const ids = assetIdsFor(wanted);
  return new Map(
    units.map((unit, at) => [ids.get(wanted[at] ?? '') ?? '', { unit, name: baseName(paths[at] ?? '') }]),
  );
}

/** The name of a unit's folder or file, or of the package or the main model if the unit is the whole library. */
export function unitName(unit: Pick<Unit, 'root' | 'models'>, library: LibraryFiles): string {
  return baseName(pathOf(unit, library));
}

function distinctiveName(path: string): string {
  const steps = path.split('/');
  const last = steps.pop() ?? '';
  let folder = '';
  const telling = steps.filter((step) => {
    folder += `${step}/`;
    return !isGenericFolder(folder);
  });
  return [...telling, last].join('-');
}

function pathOf({ root, models }: Pick<Unit, 'root' | 'models'>, library: LibraryFiles): string {
  if (root === '') return packageAtTop(library) ?? mainModel(models)?.path ?? '';
  return root.endsWith('/') ? root.slice(0, -1) : root;
}

function packageAtTop(library: LibraryFiles): string | undefined {
  const names = markersIn(library, '').map((marker) => library.factsOf(marker)?.metadata?.packageName);
  return names.find((name) => name !== undefined);
}

const LONGEST = 128;
const SHORT_HASH = 8;
/** For names that are still alike: those that differ only in how Unicode composes their letters. */
const LONG_HASH = 16;
const COMBINING_MARK = /\p{M}/gu;
const OTHER_LETTER = /[^\P{L}a-zA-Z]|[^\P{N}0-9]/u;

/** Latin letters that are no base letter with an accent, so that Unicode does not decompose them. */
const SPELLED: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  æ: 'ae',
  Æ: 'AE',
  œ: 'oe',
  Œ: 'OE',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ð: 'd',
  Ð: 'D',
  þ: 'th',
  Þ: 'Th',
  ł: 'l',
  Ł: 'L',
  ħ: 'h',
  Ħ: 'H',
  ı: 'i',
};
const SPELLED_LETTER = new RegExp(`[${Object.keys(SPELLED).join('')}]`, 'g');

/**
 * Derives asset ids from the names of folders and files. A valid id is used unchanged. Other names are spelled in Latin
 * letters without accents, and each run of characters that an id cannot contain becomes a dash. If that loses letters
 * or digits, or two names would get the same id, part of the name's SHA-256 is appended, so that an id never depends on
 * the order of the names.
 */
export function assetIdsFor(names: readonly string[]): Map<string, string> {
  const readable = new Map(names.map((name) => [name, isAssetId(name) ? whole(name) : spell(name)]));
  const wanted = countValues([...readable.values()].map(({ text }) => text));
  const short = new Map(
    [...readable].map(([name, { text, isWhole }]) => {
      const isPlain = isAssetId(name) || (isWhole && wanted.get(text) === 1);
      return [name, isPlain ? text : withHash(text, name.normalize('NFC'), SHORT_HASH)];
    }),
  );
  const given = countValues([...short.values()]);
  return new Map(
    [...short].map(([name, id]) => {
      const isUnique = isAssetId(name) || given.get(id) === 1;
      return [name, isUnique ? id : withHash(readable.get(name)?.text ?? '', name, LONG_HASH)];
    }),
  );
}

function isAssetId(name: string): boolean {
  return ASSET_ID.pattern.test(name);
}

/** What an id can contain of a name. `isWhole`: every letter and digit of the name. */
interface Readable {
  text: string;
  isWhole: boolean;
}

function whole(name: string): Readable {
  return { text: name, isWhole: true };
}

function spell(name: string): Readable {
  const latin = name
    .normalize('NFKD')
    .replace(COMBINING_MARK, '')
    .replace(SPELLED_LETTER, (letter) => SPELLED[letter] ?? '');
  const isComplete = !OTHER_LETTER.test(latin);
  const dashed = latin.replace(/[^a-zA-Z0-9._-]+/g, '-');
  // A dash in place of letters is no part of a name before its extension.
  const text = (isComplete ? dashed : dashed.replace(/(?<!-)-+(?=\.)/g, ''))
    .replace(/^[^a-zA-Z0-9]+/, '')
    .slice(0, LONGEST)
    .replace(/(?<!-)-+$/, '');
  return { text, isWhole: isComplete && text !== '' };
}

function withHash(readable: string, name: string, length: number): string {
  const hash = bytesToHex(sha256(utf8ToBytes(name))).slice(0, length);
  return `${(readable || 'asset').slice(0, LONGEST - length - 1)}-${hash}`;
}

function countValues(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
