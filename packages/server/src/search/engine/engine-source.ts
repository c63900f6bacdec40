import type { AskedFilters } from '@bindery/contract';
import type { SearchContext } from '../../context.ts';
import type { Alternative } from '../relevance/query.ts';
import { qualifiedName, type Target } from '../targets.ts';
import type { Part } from '../understanding/part.ts';
import {
  type EngineFilters,
  type EngineScope,
  MAX_LIBRARIES,
  type Published,
  type SearchEngine,
  type WordsElsewhere,
} from './search-engine.ts';

/** A library that the engine is asked about. */
export interface EngineMember {
  /** Its position among the searched targets. */
  target: number;
  /** In the engine. */
  number: number;
  assetCount: number;
  /** The model of its vectors; null if it has none. */
  model: string | null;
}

/** The libraries of one search that the engine has as they are now. */
export class EngineSource implements WordsElsewhere {
  readonly port: SearchEngine;
  readonly scope: EngineScope;
  readonly members: readonly EngineMember[];
  /** How many assets they have. */
  readonly documents: number;

  constructor(port: SearchEngine, published: Published, members: readonly EngineMember[]) {
    this.port = port;
    this.members = members;
    this.scope = { ...published, libraries: members.map(({ number }) => number) };
    this.documents = members.reduce((sum, { assetCount }) => sum + assetCount, 0);
  }

  /** Returns which parts of a query something here could meet. */
  async known(parts: readonly Part[]): Promise<Part[]> {
    const known = await this.port.known(this.scope, parts);
    return parts.filter((_, at) => known[at]);
  }

  readonly frequencies = (alternatives: readonly Alternative[]): Promise<number[]> =>
    this.port.frequencies(this.scope, alternatives);

  readonly spellings = (word: string, edits: number): Promise<string[]> =>
    this.port.spellings(this.scope, word, edits);
}

/** Returns the conditions of a search, in which libraries that are asked for have the numbers of the engine. */
export function filtersOf(
  { members }: EngineSource,
  searched: readonly Target[],
  { library: libraries, ...asked }: AskedFilters,
  query: EngineFilters['query'],
): EngineFilters {
  const wanted = libraries && new Set(libraries.map((library) => library.toLowerCase()));
  const isChosen = ({ target }: EngineMember) => wanted?.has(qualifiedName(searched[target] as Target));
  return { libraries: wanted ? members.filter(isChosen).map(({ number }) => number) : null, asked, query };
}

/** Collects the libraries of a search that the engine has as they are now. */
export interface EngineScoping {
  /** Returns false for a library that the engine does not have, or has as it was. */
  take(target: Target, at: number): boolean;
  /** Null if there are none. */
  source(): EngineSource | null;
}

/** Asks the database what the engine has; null if there is no engine to ask now. */
export async function openScope({
  engine,
  db,
}: Pick<SearchContext, 'engine' | 'db'>): Promise<EngineScoping | null> {
  if (engine === null || !engine.isTrusted) return null;
  const complete = await engine.state.read(db, engine.port.mapping);
  if (complete === null) return null;
  const { libraries, ...published } = complete;
  const members: EngineMember[] = [];
  return {
    take({ row }, at) {
      const own = libraries.get(row.id);
      const isCurrent =
        own !== undefined &&
        own.sequence <= published.sequence &&
        own.store_id === row.store_id &&
        own.index_sha256 === row.index_sha256;
      if (!isCurrent || members.length === MAX_LIBRARIES) return false;
      const { number, asset_count: assetCount, vectors_model: model } = own;
      members.push({ target: at, number, assetCount, model });
      return true;
    },
    source: () => (members.length === 0 ? null : new EngineSource(engine.port, published, members)),
  };
}
