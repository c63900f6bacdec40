import { SETTINGS } from './configuration.ts';

/** Settings of the command line, and of parts of the service that read them themselves. */
const OTHERS = [
  'BINDERY_API_URL',
  'BINDERY_AUTH_URL',
  'BINDERY_CACHE',
  'BINDERY_CONFIG_DIR',
  'BINDERY_DEBUG',
  'BINDERY_MODEL_DIR',
  'BINDERY_NO_KEYCHAIN',
  'BINDERY_RENDER_MEMORY',
  'BINDERY_TOKEN',
];
const KNOWN = [...SETTINGS, ...OTHERS];
const OF_TESTS = 'BINDERY_TEST_';

interface UnknownSetting {
  name: string;
  /** The setting with the most similar name. */
  nearest: string;
}

/** Returns variables that look like settings of Bindery but are not. */
export function unknownSettings(variables: Record<string, string | undefined>): UnknownSetting[] {
  return Object.keys(variables)
    .filter((name) => name.startsWith('BINDERY_') && !name.startsWith(OF_TESTS) && !KNOWN.includes(name))
    .sort()
    .map((name) => ({ name, nearest: nearestOf(name) }));
}

function nearestOf(name: string): string {
  const ranked = KNOWN.map((known) => ({ known, distance: editDistance(name, known) }));
  return ranked.reduce((best, next) => (next.distance < best.distance ? next : best)).known;
}

/** The Levenshtein distance of two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (above[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(changed, (above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
  }
  return row[b.length] ?? 0;
}
