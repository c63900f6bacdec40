import type { SimilarAssets } from '@bindery/contract';
import { findSimilarAssets } from '@bindery/sdk/browser';
import { useRef, useState } from 'react';
import { messageOf } from '../../ask.ts';
import type { Box } from '../../viewer-protocol.ts';
import { similarMessages } from '../messages/search.ts';
import { service } from '../session.ts';
import type { ShownPicture } from './subjects.ts';

/** A picture that is searched by, and where in it the thing is; null if it is the whole. */
interface SearchedPicture {
  file: File;
  box: Box | null;
  shown: ShownPicture;
}

/** What came of a search for what is like a picture or a model of somebody's own. */
export type FileSearch = { name: string; picture: SearchedPicture | null } & Outcome;

type Outcome =
  /** `found`: by the box before. */
  | { status: 'reading'; found: SimilarAssets | null }
  | { status: 'found'; found: SimilarAssets }
  | { status: 'failed'; reason: string; found: null };

/** What knows the formats of models, and reads them: fetched when somebody is about to pick a file. */
export const loadSubjects = () => import('./subjects.ts');

const HITS = 48;

/** Searches for what is like picked files. Nothing of them is sent but a few hundred bytes that describe their shape. */
export function useFileSearch() {
  const [search, setSearch] = useState<FileSearch | null>(null);
  const running = useRef(new AbortController());
  const stop = () => {
    running.current.abort();
    running.current = new AbortController();
  };

  async function run(files: readonly File[], known: SearchedPicture | null) {
    stop();
    const { signal } = running.current;
    let about = { name: files[0]?.name ?? '', picture: known };
    const set = (outcome: Outcome) => signal.aborted || setSearch({ ...about, ...outcome });
    const setReading = () =>
      signal.aborted ||
      setSearch((now) => ({ ...about, status: 'reading', found: known && (now?.found ?? null) }));
    setReading();
    try {
      const { describe, subjectOf } = await loadSubjects();
      const subject = subjectOf(files);
      if (subject === undefined) throw new Error(similarMessages.unknownFile);
      const { file } = subject;
      const box = known?.box ?? null;
      const { like, picture } = await describe({ ...subject, box }, files, signal);
      about = { name: file.name, picture: picture && { file, box, shown: picture } };
      if (like === null) throw new Error(similarMessages.nothingStandsOut);
      setReading();
      set({
        status: 'found',
        found: await findSimilarAssets(service, like, { limit: HITS, srcset: 'true', signal }),
      });
    } catch (error) {
      set({ status: 'failed', reason: messageOf(error), found: null });
    }
  }

  return {
    search,
    clear() {
      stop();
      setSearch(null);
    },
    start: (files: readonly File[]) => run(files, null),
    /** Searches again for what is in a box in the picture. */
    lookInside(box: Box | null) {
      if (!search?.picture) return;
      const { file, shown } = search.picture;
      void run([file], { file, box, shown: { ...shown, veil: null } });
    },
  };
}
