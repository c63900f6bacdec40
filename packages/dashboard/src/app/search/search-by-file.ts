import type { SimilarAssets } from '@bindery/contract';
import { DESCRIPTOR_VERSION, readStatistics } from '@bindery/contract/wire';
import { FORMATS } from '@bindery/formats';
import { type DescribedSubject, findSimilarAssets, findSubject } from '@bindery/sdk/browser';
import { useRef, useState } from 'react';
import type { Description } from '../../viewer-protocol.ts';
import { readInFrame } from '../files/read-in-frame.ts';
import { messageOf } from '../format.ts';
import { similarMessages } from '../messages/search.ts';
import { service } from '../session.ts';

/** What came of a search for what is like a picture or a model of somebody's own. */
export type FileSearch = { name: string } & (
  | { status: 'reading' }
  | { status: 'found'; found: SimilarAssets }
  | { status: 'failed'; reason: string }
);

/** What a file dialog offers. */
export const SUBJECTS = [
  'image/*',
  '.mtl',
  ...FORMATS.flatMap(({ family, isSource, extensions }) =>
    family === 'image' || isSource ? [] : extensions.map((extension) => `.${extension}`),
  ),
].join(',');

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
      // MuJoCo, which reads these, runs only where an asset is shown.
      const subject = findSubject(files.filter(({ name }) => !/\.xml$/i.test(name)));
      const name = subject?.file.name ?? files[0]?.name ?? '';
      const set = (outcome: FileSearch) => signal.aborted || setSearch(outcome);
      if (subject === undefined) return set({ name, status: 'failed', reason: similarMessages.unknownFile });
      set({ name, status: 'reading' });
      try {
        const described = await describe(subject, files, signal);
        const like = likeOf(described);
        const found = await findSimilarAssets(service, like, { limit: HITS, srcset: 'true', signal });
        set({ name, status: 'found', found });
      } catch (error) {
        set({ name, status: 'failed', reason: messageOf(error) });
      }
    },
  };
}

function likeOf(described: Description): DescribedSubject {
  if ('picture' in described) return { version: DESCRIPTOR_VERSION, picture: described.picture };
  const [, model] = readStatistics({ ...described }).descriptor?.split(':') ?? [];
  if (model === undefined) throw new Error(similarMessages.nothingVisible);
  return { version: DESCRIPTOR_VERSION, model };
}

async function describe(
  { kind, file }: { kind: string; file: File },
  files: readonly File[],
  signal: AbortSignal,
): Promise<Description> {
  const byName = new Map(files.map((one) => [one.name, one]));
  const place = document.createElement('div');
  place.hidden = true;
  document.body.append(place);
  try {
    return await readInFrame<Description>(
      place,
      file.name,
      { kind, entry: file.name, files: [...byName].map(([path, { size }]) => ({ path, size })) },
      async (path) => (byName.get(path) ?? new Blob()).arrayBuffer(),
      ({ resolve }) => ({ onDescribed: resolve }),
      { signal, late: similarMessages.late },
    );
  } finally {
    place.remove();
  }
}
