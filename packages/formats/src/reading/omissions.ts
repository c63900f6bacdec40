import { toMessageText } from './asset-files.ts';

/** What a picture should show of its asset but does not, by kind. */
export interface Omissions {
  /** Mesh files, and the included models and unsupported shapes of SDFormat. */
  readonly meshes?: Shortfall;
  readonly textures?: Shortfall;
  /** Copies of a mesh. */
  readonly instances?: Shortfall;
}

export interface Shortfall {
  /** How many the picture should show, including the missing ones. */
  readonly total: number;
  readonly missing: number;
  /** The first missing ones, at most `MAX_NAMED`. */
  readonly named: readonly Omission[];
}

interface Omission {
  readonly name: string;
  readonly reason: string;
}

const MAX_NAMED = 20;

type Part = keyof Omissions;

interface Tally {
  total: number;
  missing: number;
  readonly counted: Set<string>;
  readonly omitted: Map<string, string>;
}

/** Why nothing is visible, if what is missing explains it: the reason of the first thing that is not drawn. */
export function whyNothing(omissions: Omissions | undefined): string | undefined {
  const [first] = omissions?.meshes?.named ?? [];
  if (first === undefined || omissions?.meshes === undefined) return undefined;
  const { missing } = omissions.meshes;
  const others = missing > 1 ? ` and ${missing - 1} more` : '';
  return `nothing visible to draw: ${first.name}: ${first.reason}${others}`;
}

/** Counts what the loaders of one asset find and miss. Things with the same name count once. */
export class OmissionLog {
  readonly #tallies = new Map<Part, Tally>();

  /** Counts something that the picture should show, or several of its kind. */
  count(part: Part, name: string, times = 1): void {
    const tally = this.#tally(part);
    if (tally.counted.has(name)) return;
    tally.counted.add(name);
    tally.total += times;
  }

  /** Records that something counted is missing from the picture. */
  omit(part: Part, name: string, reason: string, times = 1): void {
    const tally = this.#tally(part);
    if (tally.omitted.has(name)) return;
    tally.omitted.set(name, reason);
    tally.missing += times;
  }

  /** Everything that is missing. */
  get all(): { readonly part: Part; readonly name: string; readonly reason: string }[] {
    return [...this.#tallies].flatMap(([part, { omitted }]) =>
      [...omitted].map(([name, reason]) => ({ part, name, reason })),
    );
  }

  /** Returns undefined if nothing is missing. */
  summary(): Omissions | undefined {
    const short = [...this.#tallies].filter(([, { missing }]) => missing > 0);
    if (short.length === 0) return undefined;
    return Object.fromEntries(short.map(([part, tally]) => [part, shortfallOf(tally)]));
  }

  #tally(part: Part): Tally {
    let tally = this.#tallies.get(part);
    if (tally === undefined) {
      tally = { total: 0, missing: 0, counted: new Set(), omitted: new Map() };
      this.#tallies.set(part, tally);
    }
    return tally;
  }
}

function shortfallOf({ total, missing, omitted }: Tally): Shortfall {
  const named = [...omitted]
    .slice(0, MAX_NAMED)
    .map(([name, reason]) => ({ name: toMessageText(name), reason }));
  return { total, missing, named };
}
