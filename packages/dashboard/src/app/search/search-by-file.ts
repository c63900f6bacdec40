import type { SimilarAssets } from '@bindery/contract';
import { findSimilarAssets } from '@bindery/sdk/browser';
import { useRef, useState } from 'react';
import { messageOf } from '../../ask.ts';
import { similarMessages } from '../messages/search.ts';
import { service } from '../session.ts';
import type { Box } from './picture-box.tsx';

/** A picture, and where in it the thing is; null if it is the whole. */
interface BoxedPicture {
  file: File;
  box: Box | null;
}

/** What came of a search for what is like a picture or a model of somebody's own. */
export type FileSearch = { name: string; picture: BoxedPicture | null } & Outcome;

type Outcome =
  | { status: 'reading' }
  | { status: 'found'; found: SimilarAssets }
  | { status: 'failed'; reason: string };

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
  return {
    search,
    clear() {
      stop();
      setSearch(null);
    },
    async start(files: readonly File[], known: BoxedPicture | null = null) {
      stop();
      const { signal } = running.current;
      let about: Pick<FileSearch, 'name' | 'picture'> = { name: files[0]?.name ?? '', picture: known };
      const set = (outcome: Outcome) => signal.aborted || setSearch({ ...about, ...outcome });
      set({ status: 'reading' });
      try {
        const { cropped, describe, subjectOf } = await loadSubjects();
        const subject = subjectOf(files);
        if (subject === undefined) throw new Error(similarMessages.unknownFile);
        const { file, kind } = subject;
        const box = known?.box ?? null;
        about = { name: file.name, picture: kind === 'image' ? { file, box } : null };
        set({ status: 'reading' });
        const shown = box === null ? file : await cropped(file, box);
        const like = await describe({ kind, file: shown }, box === null ? files : [shown], signal);
        const found = await findSimilarAssets(service, like, { limit: HITS, srcset: 'true', signal });
        set({ status: 'found', found });
      } catch (error) {
        set({ status: 'failed', reason: messageOf(error) });
      }
    },
  };
}
