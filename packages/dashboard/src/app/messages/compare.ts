import { counted, dotted, formatChanges, formatCount } from '../format.ts';

/** Facts of a manifest that have names on pages, too. */
const FACTS: Readonly<Record<string, string>> = {
  title: 'Title',
  description: 'Description',
  license: 'Licence',
  tags: 'Tags',
  category: 'Category',
  kind: 'Kind',
  attribution: 'Attribution',
  homepage: 'Homepage',
  entry: 'Main file',
};

export const compareMessages = {
  title: 'Changes',
  from: 'From',
  to: 'To',
  current: 'Newest revision',
  release: (name: string, revision: number) => `${name} (revision ${formatCount(revision)})`,
  same: 'No asset differs.',
  summary: (assets: NamesByChange, files: NamesByChange) =>
    dotted(changedNames(assets, 'asset', 'assets'), changedNames(files, 'file', 'files')),
  library: 'The library',
  addedAssets: 'Added assets',
  removedAssets: 'Removed assets',
  changedAssets: 'Changed assets',
  more: (count: number) => `Show more (${formatCount(count)} left)`,
  open: 'Compare',
  both: (one: string, other: string) => `${one} and ${other}`,
  choose: (title: string) => `Compare ${title}`,
  chosen: (title: string) => `${title}: tick another to compare`,
  clear: 'Clear',
  massOf: (body: string) => `Mass of ${body}`,
  limitsOf: (joint: string) => `Limits of ${joint}`,
  masses: 'Masses of bodies',
  limits: 'Limits of joints',
  line: 'Line between before and after',
  differ: 'differs',
  fact: 'Field',
  /** `meta.payload_kg` as `payload_kg`, `entryPoints` as `Entry points`. */
  factName: (fact: string) => {
    const name = fact.replace(/^meta\./, '');
    return FACTS[name] ?? name;
  },
  before: 'Before',
  after: 'After',
  none: '–',
  files: 'Files',
  pictureBefore: (name: string) => `${name} before`,
  pictureAfter: (name: string) => `${name} after`,
  pictureDifference: (name: string) => `What differs in the picture of ${name}`,
  differs: (share: number) => `${share < 0.01 ? 'Under 1' : Math.round(share * 100)} % differs`,
  notCompared: 'Not compared',
  in3d: 'Both in 3D',
  did: {
    names: (few: readonly string[], more: number) =>
      new Intl.ListFormat('en').format(more > 0 ? [...few, `${formatCount(more)} more`] : few),
    added: (names: string) => `Added ${names}`,
    removed: (names: string) => `Removed ${names}`,
    made: (names: string) => `Drew or measured ${names}`,
    changed: (name: string, what: readonly string[] = []) =>
      what.length === 0 ? `Changed ${name}` : `Changed ${name}: ${what.join(', ')}`,
    fact: (name: string, before: string | null, after: string | null) =>
      before === null || after === null ? name : `${name} from ${before} to ${after}`,
    files: (count: number) => counted(count, 'file', 'files'),
  },
  lines: (before: number, after: number) => `Line ${formatCount(before)} → ${formatCount(after)}`,
  notText: 'These are no texts, or they have too little in common to be shown line by line.',
  tooLarge: 'This library has too many files to compare here. Compare it from a terminal.',
  terminal: 'The same from a terminal',
} as const;

interface NamesByChange {
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
}

function changedNames({ added, changed, removed }: NamesByChange, one: string, many: string): string | null {
  return formatChanges([added.length, changed.length, removed.length], one, many);
}
