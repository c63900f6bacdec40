import type { Client } from '../client/client.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { type FetchOptions, fetchFiles, type WrittenFiles } from './fetch-files.ts';
import { fetchFromMirror } from './fetch-from-mirror.ts';
import { PresignedUrls } from './presigned-urls.ts';
import type { TargetFile } from './select-files.ts';

export interface SourceOptions extends FetchOptions {
  /** The source of bytes instead of the service. */
  mirror?: Mirror | undefined;
}

/** Opens the source of the files: the mirror if there is one, else the service, with the first URLs presigned. */
export async function openDownloadSource(
  client: Client,
  address: LibraryAddress,
  files: readonly TargetFile[],
  options: SourceOptions,
): Promise<
  (folder: GuardedFolder, missing: ReadonlySet<TargetFile>, written: WrittenFiles) => Promise<void>
> {
  const { mirror } = options;
  if (mirror !== undefined) {
    return (folder, missing, written) => fetchFromMirror(mirror, folder, files, missing, written, options);
  }
  const urls = new PresignedUrls(client, address, files, options.signal);
  await urls.prefetch();
  return (folder, missing, written) => fetchFiles(client, folder, files, missing, urls, written, options);
}
