import { isSemantic } from '../../libraries/read/library.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { targetByMeaning } from '../by-vector.ts';
import type { JoiningContext, Library } from './current-libraries.ts';
import { keyOf, type SegmentIndex } from './segment-index.ts';
import { areVectorsWorthJoining, type MemberVectors } from './segments.ts';

/**
 * Joins the vectors of the members of segments where many have got others since, with the words of these left as they
 * are. Until then, their libraries are searched by meaning one by one.
 * @param current the libraries by the keys of their revisions
 */
export async function joinVectors(
  context: JoiningContext,
  isStopped: () => boolean,
  current: ReadonlyMap<string, Library>,
): Promise<void> {
  const { segments, log } = context;
  const all: { segment: SegmentIndex; members: MemberVectors[]; alone: number }[] = [];
  for (const segment of segments.list()) {
    const members: MemberVectors[] = [];
    let alone = 0;
    for (const member of segment.members) {
      const library = current.get(keyOf(member));
      const found = segments.find(member);
      const isSearched = library !== undefined && found?.segment === segment;
      const vectors = isSearched ? vectorsOf(context, library, { ...member, joined: found.joined }) : null;
      members.push({ member, vectors });
      if (vectors !== null && vectors.joined === undefined) alone++;
      if (turnIsOver()) await nextTurn();
    }
    all.push({ segment, members, alone });
  }
  if (
    !areVectorsWorthJoining(
      all.reduce((sum, { alone }) => sum + alone, 0),
      0,
    )
  )
    return;
  for (const { segment, members, alone } of all) {
    if (isStopped()) return;
    if (alone === 0) continue;
    const since = performance.now();
    await segments.joinVectors(segment, members);
    const seconds = Math.round((performance.now() - since) / 1_000);
    log.info({ libraries: alone, seconds }, 'vectors were joined to search');
  }
}

function vectorsOf(
  context: JoiningContext,
  { row, assets: assetCount }: Library,
  known: Pick<Parameters<typeof targetByMeaning>[2], 'sidecar' | 'joined'>,
) {
  const { library, vectors } = targetByMeaning(context, row, { ...known, assetCount });
  return isSemantic(context.encoder.model, library) ? vectors : null;
}
