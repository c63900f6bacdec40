import { type Meaning, whyLost } from '../packages/formats/src/model/vocabulary.ts';

/** What a reader does with a word of its format; `unknown` without a meaning. */
export function kindOf(meaning: Meaning | undefined): 'read' | 'named' | 'meaningless' | 'unknown' {
  if (meaning === undefined) return 'unknown';
  if (whyLost(meaning, 'x') !== undefined) return 'named';
  return meaning === 'meaningless' ? 'meaningless' : 'read';
}

/** Tells in the output of tests, in one line, how many words of a format are what. */
export function tellWords(format: string, kinds: readonly ReturnType<typeof kindOf>[]): void {
  const count = (kind: string) => kinds.filter((one) => one === kind).length;
  const [read, named, meaningless, differing] = ['read', 'named', 'meaningless', 'unknown'].map(count);
  tell(`${format}: read ${read}, named ${named}, meaningless ${meaningless}, differing ${differing}`);
}

/** Tells how many cases were put to a reader and to somebody else's, and how many of them they judge differently. */
export function tellCases(oracle: string, cases: number, differing: number): void {
  tell(`beside ${oracle}: ${cases} cases, differing ${differing}`);
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
