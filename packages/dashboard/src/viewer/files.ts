import { AssetFiles, Budget, type FileSource } from '@bindery/render/models';
import type { ViewerFile } from '../viewer-protocol.ts';
import type { ViewerLimits } from './limits.ts';

/** The files of the open asset, read through the page. Counts the bytes read. */
export class ViewerFiles implements FileSource {
  readonly sizes: ReadonlyMap<string, number>;
  readonly #read: (path: string) => Promise<Uint8Array<ArrayBuffer>>;
  readonly #onProgress: (bytesRead: number) => void;
  #bytesRead = 0;

  constructor(
    files: readonly ViewerFile[],
    read: (path: string) => Promise<Uint8Array<ArrayBuffer>>,
    onProgress: (bytesRead: number) => void = () => {},
  ) {
    this.sizes = new Map(files.map(({ path, size }) => [path, size]));
    this.#read = read;
    this.#onProgress = onProgress;
  }

  /** Returns the bytes unchanged. */
  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#read(path);
    this.#bytesRead += bytes.byteLength;
    this.#onProgress(this.#bytesRead);
    return bytes;
  }

  /** The same files within the limit on bytes, with references between them. */
  withLimits(limits: ViewerLimits): AssetFiles {
    return new AssetFiles(this, new Budget(limits));
  }
}
