import type { AskedFilters } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { SimilarDocument } from '../similar/compare-member.ts';
import {
  compareHands,
  compareModels,
  comparePicture,
  compareVectors,
  type Likeness,
} from '../similar/likeness.ts';
import type { Subject } from '../similar/subject.ts';
import type { Target } from '../targets.ts';
import { type EngineSource, filtersOf } from './engine-source.ts';
import { PlacedCandidates } from './placed-candidates.ts';
import type { AlikeCandidate, EngineCandidate } from './search-engine.ts';

/** How many assets of all libraries are compared closely. */
const COMPARED = 500;

type Candidate = Pick<EngineCandidate, 'id' | 'library' | 'assetId'>;

export interface SimilarProposal {
  similar: SimilarDocument[];
  /** Whether vectors were compared. */
  byVector: boolean;
  placed: PlacedCandidates<Candidate>;
}

/** Has the engine propose what is similar to a subject, and determines how much. */
export async function proposeSimilar(
  engine: EngineSource,
  searched: readonly Target[],
  { model, picture, vector, asset }: Subject,
  asked: AskedFilters,
): Promise<SimilarProposal> {
  const { port, scope, members } = engine;
  const filters = filtersOf(engine, searched, asked, { phrases: [], excluded: [] });
  const likenesses: (Likeness & { part?: string; candidate: Candidate })[] = [];
  const compare = async (
    part: 'shape' | 'hands' | 'outlines',
    bytes: Int8Array,
    likeness: (candidate: AlikeCandidate) => Likeness | Promise<Likeness>,
  ) => {
    for (const candidate of await port.alike(scope, { filters, part, bytes, count: COMPARED })) {
      likenesses.push({ candidate, ...(await likeness(candidate)) });
      if (turnIsOver()) await nextTurn();
    }
  };
  if (model) {
    await compare('shape', model.shape, ({ id, descriptor }) =>
      compareModels(model, descriptor, async () => {
        const [shown] = asset === null ? [] : await port.describe(scope, [id]);
        return shown?.card.digest === asset?.digest && asset !== null;
      }),
    );
    await compare('hands', model.shape, ({ hands }) => compareHands(model, hands));
  }
  if (picture)
    await compare('outlines', picture.outlines, ({ descriptor }) => comparePicture(picture, descriptor));
  const libraries = members.filter((one) => one.model === vector?.model).map(({ number }) => number);
  const byVector = vector !== null && libraries.length > 0;
  if (byVector) {
    const request = { filters, vector: vector.numbers, count: COMPARED };
    for (const candidate of await port.nearest({ ...scope, libraries }, request))
      likenesses.push({ candidate, ...compareVectors(candidate.cosine) });
  }
  const candidates = new Map(likenesses.map(({ candidate }) => [candidate.id, candidate]));
  const placed = new PlacedCandidates(engine, [...candidates.values()]);
  const isItself = ({ target }: { target: number }, { assetId }: Candidate) =>
    assetId === asset?.id && searched[target]?.row.store_id === asset.storeId;
  return {
    similar: likenesses.flatMap(({ candidate, ...likeness }) => {
      const place = placed.placeOf(candidate);
      return isItself(place, candidate) ? [] : [{ ...place, ...likeness }];
    }),
    ...{ byVector, placed },
  };
}
