import { AssetFiles, Budget, type FileSource, Unrenderable } from '@bindery/render/models';
import type { ViewerFile } from '../viewer-protocol.ts';
import type { ViewerLimits } from './limits.ts';

/** Entities can expand a kilobyte of XML to a gigabyte, or include external files. */
const DOCUMENT_TYPE = /<!\s*(?:DOCTYPE|ENTITY)/i;
const XML = /\.(?:xml|urdf|sdf|dae|world|mjcf)$/i;

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

  /** The same files for parsers: XML with a document type is refused. */
  get withoutDocumentTypes(): FileSource {
    return {
      sizes: this.sizes,
      read: async (path) => {
        const bytes = await this.read(path);
        if (XML.test(path)) refuseDocumentType(bytes, path);
        return bytes;
      },
    };
  }

  /** The same files within the limit on bytes, with references between them. */
  withLimits(limits: ViewerLimits): AssetFiles {
    return new AssetFiles(this.withoutDocumentTypes, new Budget(limits));
  }
}

function refuseDocumentType(bytes: Uint8Array, path: string): void {
  // Latin-1 preserves every ASCII character of UTF-8, and of UTF-16 once the zeros are removed.
  const text = new TextDecoder('latin1').decode(bytes).replaceAll('\0', '');
  if (DOCUMENT_TYPE.test(text))
    throw new Unrenderable(`${path} has a document type (DOCTYPE), which is not opened`);
}
