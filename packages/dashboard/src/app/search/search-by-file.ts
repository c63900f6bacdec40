import type { SimilarAssets } from '@bindery/contract';
import { findSimilarAssets } from '@bindery/sdk/browser';
import { useRef, useState } from 'react';
import { messageOf } from '../../ask.ts';
import { similarMessages } from '../messages/search.ts';
import { service } from '../session.ts';

/** What came of a search for what is like a picture or a model of somebody's own. */
export type FileSearch = { name: string } & (
  | { status: 'reading' }
  | { status: 'found'; found: SimilarAssets }
  | { status: 'failed'; reason: string }
);

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
    async start(files: readonly File[]) {
      stop();
      const { signal } = running.current;
      let name = files[0]?.name ?? '';
      const set = (outcome: FileSearch) => signal.aborted || setSearch(outcome);
      set({ name, status: 'reading' });
      try {
        const { describe, subjectOf } = await loadSubjects();
        const subject = subjectOf(files);
        if (subject === undefined) throw new Error(similarMessages.unknownFile);
        name = subject.file.name;
        set({ name, status: 'reading' });
        const like = await describe(subject, files, signal);
        const found = await findSimilarAssets(service, like, { limit: HITS, srcset: 'true', signal });
        set({ name, status: 'found', found });
      } catch (error) {
        set({ name, status: 'failed', reason: messageOf(error) });
      }
    },
  };
}
