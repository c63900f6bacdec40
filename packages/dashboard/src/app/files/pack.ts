import type { AssetDetail } from '@bindery/contract';
import { Zip, ZipPassThrough } from 'fflate';
import type { LibraryKey } from '../queries.ts';
import { readAssetFile } from './asset-files.ts';

const AT_ONCE = 4;

/** Returns an asset's files, each verified, as an uncompressed ZIP archive: meshes and images compress poorly. */
export async function packAsset(
  library: LibraryKey,
  asset: AssetDetail,
  onBytes: (done: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const chunks: BlobPart[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  });
  let done = 0;
  const waiting = [...asset.files];
  const work = async () => {
    for (let file = waiting.shift(); file; file = waiting.shift()) {
      const bytes = new Uint8Array(await readAssetFile(library, asset, file.path, signal));
      const entry = new ZipPassThrough(file.path);
      zip.add(entry);
      entry.push(bytes, true);
      done += bytes.length;
      onBytes(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  zip.end();
  return new Blob(chunks, { type: 'application/zip' });
}
