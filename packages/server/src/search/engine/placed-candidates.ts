import { compareUtf8 } from '@bindery/contract';
import type { DescribedAsset } from '../segments/segment-index.ts';
import type { EngineSource } from './engine-source.ts';
import { type EngineCandidate, EngineUnavailable } from './search-engine.ts';

interface Place {
  /** The position of the library among the searched targets. */
  target: number;
  document: number;
}

/** What the engine proposes. A document is the position of an asset among those proposed of its library, by id. */
export class PlacedCandidates<Candidate extends Pick<EngineCandidate, 'id' | 'library' | 'assetId'>> {
  readonly #engine: EngineSource;
  readonly #targets: ReadonlySet<number>;
  readonly #byTarget: ReadonlyMap<number, readonly Candidate[]>;
  readonly #places: ReadonlyMap<string, Place>;
  readonly #described = new Map<Candidate, DescribedAsset | null>();

  /** Throws `EngineUnavailable` for an asset of a library that was not asked for. */
  constructor(engine: EngineSource, candidates: readonly Candidate[]) {
    const targets = new Map(engine.members.map(({ number, target }) => [number, target]));
    const byLibrary = [...Map.groupBy(candidates, ({ library }) => library)];
    this.#engine = engine;
    this.#targets = new Set(targets.values());
    this.#byTarget = new Map(
      byLibrary.map(([library, own]) => {
        const target = targets.get(library);
        if (target === undefined)
          throw new EngineUnavailable('The engine found what it was not asked about.');
        return [target, own.sort((a, b) => compareUtf8(a.assetId, b.assetId))];
      }),
    );
    this.#places = new Map(
      [...this.#byTarget].flatMap(([target, own]) =>
        own.map(({ id }, document) => [id, { target, document }] as const),
      ),
    );
  }

  of(target: number): readonly Candidate[] {
    return this.#byTarget.get(target) ?? [];
  }

  placeOf({ id }: Candidate): Place {
    return this.#places.get(id) as Place;
  }

  /** Reads what the hits among them show, all at once. */
  async load(hits: readonly Place[]): Promise<void> {
    const own = hits.flatMap(({ target, document }) => this.of(target)[document] ?? []);
    const { port, scope } = this.#engine;
    const assets = await port.describe(
      scope,
      own.map(({ id }) => id),
    );
    for (const [at, candidate] of own.entries()) this.#described.set(candidate, assets[at] ?? null);
  }

  /** Whether a library is in the engine. */
  has(target: number): boolean {
    return this.#targets.has(target);
  }

  /** What was read; null for what is gone. */
  described(target: number, document: number): DescribedAsset | null {
    return this.#described.get(this.of(target)[document] as Candidate) ?? null;
  }
}
