import { AssetFiles, Budget, type FileSource, Unrenderable } from '@bindery/render/models';
import type { ViewerFile } from '../viewer-protocol.ts';
import type { ViewerLimits } from './budgets.ts';

/** Entities are how XML grows from a kilobyte to a gigabyte, or reads what is elsewhere. */
const DOCUMENT_TYPE = /<!\s*(?:DOCTYPE|ENTITY)/i;
const XML = /\.(?:xml|urdf|sdf|dae|world|mjcf)$/i;

/** The files of the open asset, each read at most once at a time, all of them within one budget of bytes. */
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

  /** The bytes as they are. */
  async read(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = await this.#read(path);
    this.#bytesRead += bytes.byteLength;
    this.#onProgress(this.#bytesRead);
    return bytes;
  }

  /** The same files for those who understand them: XML with a document type is refused. */
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

  /** These within the limit on bytes, and references between them. */
  within(limits: ViewerLimits): AssetFiles {
    return new AssetFiles(this.withoutDocumentTypes, new Budget(limits));
  }
}

function refuseDocumentType(bytes: Uint8Array, path: string): void {
  // Latin-1 keeps every ASCII character of UTF-8; UTF-16 is told by its zeros.
  const text = new TextDecoder('latin1').decode(bytes).replaceAll('\0', '');
  if (DOCUMENT_TYPE.test(text))
    throw new Unrenderable(`${path} has a document type (DOCTYPE), which is not opened`);
}
