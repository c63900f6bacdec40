import { type Descriptors, handsOf, lowerBound, rowOf } from '../../revision/descriptors.ts';
import type { OpenedSource, SourceMember } from '../relevance/sources.ts';
import {
  compareHands,
  compareModels,
  comparePicture,
  type DescribedModel,
  FARTHEST,
  type Likeness,
} from './likeness.ts';
import { nearestRows, type RowQuery } from './nearest-rows.ts';
import type { Subject } from './subject.ts';

/** How many descriptors of one revision are compared closely: more than are found, as colours change the order. */
const COMPARED = 128;
/** What is similar, by the position of its library and its number there. */
export interface SimilarDocument extends Likeness {
  target: number;
  document: number;
  /** The name of the hand that is similar, if the whole is not what was compared. */
  part?: string;
}

/** Compares the nearest descriptors of a library with the subject. */
export async function compareMember(
  { descriptors, card }: Pick<OpenedSource, 'descriptors' | 'card'>,
  { target, first, count }: SourceMember,
  { model, picture, asset }: Subject,
  passes: ((document: number) => boolean) | null,
): Promise<SimilarDocument[]> {
  if (descriptors === null) return [];
  const { assets, hands } = descriptors;
  const rowsOf = (assets: Uint32Array) => ({
    first: lowerBound(assets, first),
    end: lowerBound(assets, first + count),
  });
  const found: SimilarDocument[] = [];
  const nearest = (query: RowQuery) => nearestRows(descriptors, query, rowsOf(assets), passes, COMPARED);
  const placeOf = (row: number) => ({ target, document: (assets[row] as number) - first });
  if (model) {
    for (const row of await nearest({ table: 'shapes', bytes: model.shape, farthest: FARTHEST.shape })) {
      const hasSameFiles = async () =>
        asset !== null && (await card(assets[row] as number)).digest === asset.digest;
      const likeness = await compareModels(model, describedAt(descriptors, row), hasSameFiles);
      found.push({ ...placeOf(row), ...likeness });
    }
  }
  if (model && hands) {
    const query = { table: 'shapes', bytes: model.shape, farthest: FARTHEST.hand } as const;
    for (const row of await nearestRows(hands, query, rowsOf(hands.assets), passes, COMPARED)) {
      const asset = hands.assets[row] as number;
      found.push({ target, document: asset - first, ...compareHands(model, handsOf(descriptors, asset)) });
    }
  }
  if (picture) {
    const query = { table: 'outlines', bytes: picture.outlines, farthest: FARTHEST.outline } as const;
    for (const row of await nearest(query))
      found.push({ ...placeOf(row), ...comparePicture(picture, describedAt(descriptors, row)) });
  }
  return found;
}

/** Returns the descriptor of an asset; null if it has none. */
export function descriptorOf(descriptors: Descriptors | null, asset: number): DescribedModel | null {
  const row = descriptors === null ? 0 : lowerBound(descriptors.assets, asset);
  return descriptors?.assets[row] === asset ? describedAt(descriptors, row) : null;
}

function describedAt(descriptors: Descriptors, row: number): DescribedModel {
  return {
    shape: rowOf(descriptors, 'shapes', row),
    colors: rowOf(descriptors, 'colors', row),
    outlines: rowOf(descriptors, 'outlines', row),
  };
}
