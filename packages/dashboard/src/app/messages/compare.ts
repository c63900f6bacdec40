import { formatChanges, formatCount } from '../format.ts';

export const compareMessages = {
  title: 'Changes',
  from: 'From',
  to: 'To',
  current: 'Newest revision',
  release: (name: string, revision: number) => `${name} (revision ${formatCount(revision)})`,
  same: 'No asset differs.',
  summary: (assets: NamesByChange, files: NamesByChange) =>
    [changedNames(assets, 'asset', 'assets'), changedNames(files, 'file', 'files')]
      .filter((counts) => counts !== null)
      .join(' · '),
  library: 'The library',
  addedAssets: 'Added assets',
  removedAssets: 'Removed assets',
  changedAssets: 'Changed assets',
  more: (count: number) => `Show more (${formatCount(count)} left)`,
  fact: 'Field',
  before: 'Before',
  after: 'After',
  none: '–',
  files: 'Files',
  pictureBefore: (name: string) => `${name} before`,
  pictureAfter: (name: string) => `${name} after`,
  pictureDifference: (name: string) => `What differs in the picture of ${name}`,
  differs: (share: number) => `${share < 0.01 ? 'Under 1' : Math.round(share * 100)} % differs`,
  notCompared: 'Not compared',
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
