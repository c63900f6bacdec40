import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Writes what search knows of English nouns, from the database of WordNet: `node scripts/english-nouns.ts <dict folder>`.
 * A line per word: the word, words for the same thing, words for what it is a kind of, and words that define it.
 */

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node scripts/english-nouns.ts <folder with data.noun>');

/** A meaning: its subject, its words, and the numbers of the meanings that are one step broader. */
interface Meaning {
  subject: number;
  words: string[];
  /** The words of its definition that say something. */
  definition: string[];
  broader: string[];
  /** Whether it is one certain thing or person. */
  isInstance: boolean;
}

/** The numbers of WordNet's files: animals, artifacts and food, of which every word counts. */
const EVERY_WORD = new Set([5, 6, 13]);
/** Bodies, objects, people, plants, possessions, shapes and substances, of which common words count. */
const COMMON_WORDS = new Set([8, 17, 18, 20, 21, 25, 27]);

/** Words under which nobody looks for a thing. */
const GENERAL = new Set(
  `abstract_entity abstraction adult animate_being animate_thing area article artefact artifact attribute beast being body_part brute causal_agency
  causal_agent cause chordate commodity component constituent construction consumer_durables consumer_goods covering craniate creation
  creature device durables element end entity equipment eutherian external_body_part facility fauna flora food foodstuff group individual
  instrumentality instrumentation ligneous_plant line living_thing location material matter measure mechanism merchandise mortal
  natural_object nutrient object organ organism part physical_entity physical_object piece placental plant_life point portion
  product psychological_feature region relation solid solid_food somebody someone soul structure substance surface system thing
  tracheophyte trade_good good unit unit_of_measurement vascular_plant vertebrate ware way whole woody_plant conveyance transport`.split(
    /\s+/,
  ),
);

/** Words of definitions that are in those of many different things. */
const SAYS_NOTHING = new Set(
  `also and any are being both but can consisting consists containing etc especially for from has having made may more most not often one
  other resembling several similar some sometimes such than that the their them these they this those through two typically used use uses
  usually various very when where which with you your all between each into its like was were what who`.split(
    /\s+/,
  ),
);

const WORD = /^[a-z]{3,}(?:_[a-z]{2,})*$/;
const LISTED = /^[a-z]{3,}(?:_[a-z]{2,})?$/;
const MAX_STEPS = 12;
const MAX_SYNONYMS = 6;
const MAX_BROADER = 10;
const MAX_DEFINITION = 24;

const linesOf = (name: string) =>
  readFileSync(join(folder, name), 'latin1')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(' '));

const meanings = new Map(
  linesOf('data.noun').map((line): [string, Meaning] => {
    const [number = '', subject = '', , count = '0', ...rest] = line.split(' ');
    const words = Array.from({ length: Number.parseInt(count, 16) }, (_, at) => rest[2 * at] ?? '');
    const pointers = rest.slice(2 * words.length + 1);
    const broader: string[] = [];
    let isInstance = false;
    for (let at = 0; at < Number(rest[2 * words.length]); at++) {
      const [kind, target = '', part] = pointers.slice(4 * at);
      if (kind === '@' && part === 'n') broader.push(target);
      isInstance ||= kind === '@i';
    }
    return [number, { subject: Number(subject), words, definition: definitionOf(line), broader, isInstance }];
  }),
);

/** Returns what a line explains its words by, without its examples and what it has in parentheses. */
function definitionOf(line: string): string[] {
  const text = (line.split(' | ')[1] ?? '').replace(/"[^"]*"?|\([^)]*\)/g, ' ');
  return (text.toLowerCase().match(/[a-z]{3,}/g) ?? []).filter((word) => !SAYS_NOTHING.has(word));
}

/** A word with its meanings, the most frequent first, and how many of them occur in WordNet's sample texts. */
function readEntry(line: string): { word: string; meanings: string[]; common: number } {
  const fields = line.split(' ').filter(Boolean);
  const end = 6 + Number(fields[3]);
  return { word: fields[0] ?? '', meanings: fields.slice(end), common: Number(fields[end - 1]) };
}

function broaderThan(meaning: Meaning): string[] {
  const found: string[] = [];
  let at: Meaning | undefined = meaning;
  for (let step = 0; step < MAX_STEPS; step++) {
    at = meanings.get(at?.broader[0] ?? '');
    if (at === undefined) break;
    if (!GENERAL.has(at.words[0] ?? ''))
      found.push(...at.words.slice(0, 2).filter((word) => !GENERAL.has(word)));
  }
  return found.map((word) => word.split('_').at(-1) ?? '');
}

function describe({
  word,
  meanings: numbers,
  common,
}: ReturnType<typeof readEntry>): [synonyms: string[], broader: string[], definition: string[]] | null {
  if (!LISTED.test(word)) return null;
  const meant: Meaning[] = [];
  for (const [rank, number] of numbers.entries()) {
    const meaning = meanings.get(number);
    if (meaning === undefined || meaning.isInstance) continue;
    const { subject } = meaning;
    // Names of genera and people are written with a capital.
    const counts =
      meaning.words.includes(word) &&
      (EVERY_WORD.has(subject) || (COMMON_WORDS.has(subject) && common > rank));
    const isRare = meant.length === 0 ? rank >= 3 : common <= rank;
    if (isRare || meant.length === 2) break;
    if (counts) meant.push(meaning);
  }
  const unique = (words: string[]) => [...new Set(words)].filter((one) => WORD.test(one) && one !== word);
  const synonyms = unique(meant.flatMap(({ words }) => words)).slice(0, MAX_SYNONYMS);
  const broader = unique(meant.flatMap(broaderThan))
    .filter((one) => !synonyms.includes(one) && !word.split('_').includes(one))
    .slice(0, MAX_BROADER);
  const definition = unique(meant.flatMap((meaning) => meaning.definition))
    .filter((one) => !synonyms.includes(one) && !broader.includes(one))
    .slice(0, MAX_DEFINITION);
  return synonyms.length + broader.length + definition.length === 0 ? null : [synonyms, broader, definition];
}

const lines = new Map<string, string>();
for (const entry of linesOf('index.noun').map(readEntry)) {
  const described = describe(entry);
  if (described) lines.set(entry.word, [entry.word, ...described.map((words) => words.join(' '))].join(':'));
}
// Common words of every kind, so that they are not taken for misspellings.
for (const part of ['noun', 'verb', 'adj', 'adv']) {
  for (const { word, common } of linesOf(`index.${part}`).map(readEntry))
    if (common > 0 && /^[a-z]{4,}$/.test(word) && !lines.has(word)) lines.set(word, `${word}:::`);
}
const target = new URL('../packages/encoder/src/nouns/english-nouns.txt', import.meta.url);
writeFileSync(
  target,
  `${[...lines.keys()]
    .sort()
    .map((word) => lines.get(word))
    .join('\n')}\n`,
);
