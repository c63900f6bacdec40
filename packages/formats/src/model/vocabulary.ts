import type { XmlElement } from '../reading/xml-elements.ts';
import type { LossList } from './losses.ts';

/**
 * What a reader does with everything that a format in XML can say: elements by their names, attributes by theirs after
 * an `@`, and `*` for all others. `read` and `meaningless` hold for an element with all that is in it, and `lost` names
 * it and nothing in it. Whatever is not listed is named as unknown, so that nothing passes in silence.
 */
export interface Vocabulary {
  readonly [name: string]: Meaning;
}

export type Meaning = 'read' | 'meaningless' | Lost | Vocabulary;

class Lost {
  readonly why: string;
  readonly harmless: readonly string[];

  constructor(why: string, harmless: readonly string[]) {
    this.why = why;
    this.harmless = harmless;
  }
}

/** Something that is not read, and why. `harmless` are values with which it changes nothing. */
export function lost(why: string, ...harmless: string[]): Meaning {
  return new Lost(why, harmless);
}

/** What several formats say and no mechanism has. */
export const SENSOR = lost('sensors are not converted');
export const PLUGIN = lost('it is a program of Gazebo');
export const CONTACT = lost('how shapes touch is for the simulator to say');
export const CONTROL = lost('it describes a controller');

const UNKNOWN = 'it is not known here';
/** What is in no vocabulary. */
export const UNKNOWN_WORD = lost(UNKNOWN);

/** Why something with this meaning and value is lost; undefined if it is not. */
export function whyLost(meaning: Meaning, value: string): string | undefined {
  return meaning instanceof Lost && !isHarmless(meaning, value) ? meaning.why : undefined;
}

const EXTENSION = 'it is an extension of another program';

/** Names what a document says that its reader does not read, by what carries it. */
export function nameUnread(root: XmlElement, vocabulary: Vocabulary, losses: LossList): void {
  nameWithin(root, vocabulary, root.attributes.name ?? root.name, losses);
}

function nameWithin(element: XmlElement, vocabulary: Vocabulary, owner: string, losses: LossList): void {
  for (const [name, value] of Object.entries(element.attributes)) {
    if (name === 'xmlns' || name.startsWith('xmlns:')) continue;
    const meaning = meaningOf(vocabulary, `@${name}`);
    if (meaning instanceof Lost && !isHarmless(meaning, value))
      losses.add(`${element.name}/@${name}`, owner, meaning.why);
  }
  for (const child of element.children) {
    const meaning = meaningOf(vocabulary, child.name);
    const carrier = child.attributes.name ?? child.attributes.reference ?? owner;
    if (meaning instanceof Lost) {
      if (!isHarmless(meaning, child.text)) losses.add(child.name, carrier, meaning.why);
    } else if (typeof meaning === 'object') nameWithin(child, meaning, carrier, losses);
  }
}

function meaningOf(vocabulary: Vocabulary, name: string): Meaning {
  const known = Object.hasOwn(vocabulary, name) ? vocabulary[name] : vocabulary['*'];
  return known ?? new Lost(name.includes(':') ? EXTENSION : UNKNOWN, []);
}

function isHarmless({ harmless }: Lost, value: string): boolean {
  const text = value.trim();
  return harmless.some((one) => one === text || (text !== '' && Number(one) === Number(text)));
}
