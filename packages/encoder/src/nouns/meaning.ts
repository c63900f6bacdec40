import { nounNamed, nounOfTwo, readNoun } from './noun-table.ts';

/** A part of a text, and how much its vector counts beside those of the others. */
export interface TextPart {
  text: string;
  weight: number;
}

/** What the nouns of a title are defined by counts as much as its text, and what they are kinds of half as much. */
const DEFINITION_WEIGHT = 1;
const BROADER_WEIGHT = 0.5;

/** Returns what the nouns of a title mean, to be added to the vector of its text; nothing if none is known. */
export function meaningParts(title: string): TextPart[] {
  const { definition, broader } = meaningOf(title);
  return [
    { text: definition, weight: DEFINITION_WEIGHT },
    { text: broader, weight: BROADER_WEIGHT },
  ].filter(({ text }) => text !== '');
}

/** What the nouns of a name mean, as two texts; empty if none is known. */
export interface Meaning {
  definition: string;
  /** Words for the same, and for what it is a kind of. */
  broader: string;
}

/** Longer names are sentences, whose nouns say less of what they are about. */
const MAX_WORDS = 8;
/** Words for what is a kind of, beyond which they say little. */
const MAX_BROADER = 4;
const MAX_DEFINITION = 400;
const MAX_KINDS = 300;

/** Returns what the nouns of a name mean, such as of `GlamVelvetSofa`. */
export function meaningOf(name: string): Meaning {
  const words =
    name
      .replaceAll(/([a-z]{2})([A-Z][a-z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  if (words.length > MAX_WORDS) return { definition: '', broader: '' };
  const nouns = words.flatMap((word, at) => {
    const noun = nounOfTwo(word, words[at + 1]) ?? nounNamed(word);
    return noun === null ? [] : [readNoun(noun)];
  });
  const kinds = nouns.map(({ synonyms, broader }) =>
    [synonyms, ...broader.split(' ').slice(0, MAX_BROADER)].join(' ').trim(),
  );
  return {
    definition: joined(nouns.map(({ definition }) => definition)).slice(0, MAX_DEFINITION),
    broader: joined(kinds).slice(0, MAX_KINDS),
  };
}

function joined(texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .join(', ')
    .replaceAll('_', ' ');
}
