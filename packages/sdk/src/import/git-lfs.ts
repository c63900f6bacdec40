import { z } from 'zod';
import { ImportError } from '../failures.ts';
import type { UpstreamRequests } from './requests.ts';

/** A file that lies outside of its repository. */
export interface LfsFile {
  /** SHA-256. */
  oid: string;
  size: number;
}

const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[^\n]*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n/;

/** Returns what pointers of LFS stand for, by the id of the pointer. */
export async function findLfsFiles(
  candidates: readonly { id: string; path: string }[],
  read: (id: string, path: string) => Promise<string>,
): Promise<Map<string, LfsFile>> {
  const found = new Map<string, LfsFile>();
  for (const { id, path } of candidates) {
    const match = POINTER.exec(await read(id, path));
    if (match) found.set(id, { oid: match[1] as string, size: Number(match[2]) });
  }
  return found;
}

const batch = z.object({
  objects: z.array(
    z.object({
      error: z.object({ message: z.string() }).optional(),
      actions: z
        .object({
          download: z
            .object({ href: z.url(), header: z.record(z.string(), z.string()).optional() })
            .optional(),
        })
        .optional(),
    }),
  ),
});

/** Reads a file from the LFS server of its own repository, whatever the repository says elsewhere. Throws `ImportError`. */
export async function openLfsFile(
  repository: string,
  file: LfsFile,
  from: number,
  requests: UpstreamRequests,
  signal: AbortSignal,
): Promise<{ from: number; bytes: AsyncIterable<Uint8Array> }> {
  if (!/^https?:/.test(repository))
    throw new ImportError('source_refused', `Files of LFS are read over HTTP, which ${repository} is not.`);
  const endpoint = `${repository.replace(/\/$/, '').replace(/(\.git)?$/, '.git')}/info/lfs/objects/batch`;
  const body = JSON.stringify({ operation: 'download', transfers: ['basic'], objects: [file] });
  const { document } = await requests.json(endpoint, batch, {
    body,
    headers: { accept: 'application/vnd.git-lfs+json', 'content-type': 'application/vnd.git-lfs+json' },
    signal,
  });
  const [object] = document.objects;
  const download = object?.actions?.download;
  if (download === undefined)
    throw new ImportError(
      'source_unavailable',
      `The LFS server has no ${file.oid}: ${object?.error?.message ?? 'no address'}.`,
    );
  return requests.open(download.href, from, { headers: download.header ?? {}, namedBy: repository, signal });
}
