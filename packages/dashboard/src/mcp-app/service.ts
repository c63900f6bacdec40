import type { App } from '@modelcontextprotocol/ext-apps';
import { sha256 } from '../app/files/sha256.ts';
import { messages } from './messages.ts';

/** What is read of the answers of the tools. */
export interface InspectedAsset {
  readonly library: string;
  readonly fileCount: number;
  readonly nextCursor: string | null;
  readonly authored: {
    readonly assetId: string;
    readonly kind: string;
    readonly title: string | null;
    readonly license: string | null;
    readonly entry: string | null;
    readonly page: string;
    readonly files: readonly AssetFile[];
  };
}

export interface AssetFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export interface FoundHit {
  readonly library: string;
  /** Which image of the answer shows it, counted from 1. */
  readonly picture: number | null;
  readonly authored: {
    readonly assetId: string;
    readonly title: string | null;
    readonly license: string | null;
  };
}

/** An image of an answer as a URL. */
export interface ShownImage {
  readonly url: string;
}

/** Files in one answer, and answers for one asset. */
const PAGE = 500;
const MAX_PAGES = 10;

/** Reads an asset with all of its files, through the host: the document has no token. */
export async function inspectAsset(
  app: App,
  library: string,
  assetId: string,
): Promise<{ asset: InspectedAsset; images: ShownImage[] }> {
  let answer = await inspectPage(app, { library, assetId });
  const { asset, images } = answer;
  const files = [...asset.authored.files];
  for (let pages = 1; answer.asset.nextCursor !== null; pages++) {
    if (pages === MAX_PAGES) throw new Error(messages.tooMany);
    answer = await inspectPage(app, { library, assetId, cursor: answer.asset.nextCursor });
    files.push(...answer.asset.authored.files);
  }
  return { asset: { ...asset, authored: { ...asset.authored, files } }, images };
}

async function inspectPage(app: App, input: Record<string, string>) {
  const answer = await app.callServerTool({ name: 'inspect_asset', arguments: { ...input, files: PAGE } });
  const asset = answer.structuredContent as InspectedAsset | undefined;
  if (answer.isError || asset === undefined) throw new Error(messages.noAnswer);
  return { asset, images: imagesOf(answer.content) };
}

/** Returns the images among the blocks of an answer, in their order. */
export function imagesOf(content: readonly { type: string }[]): ShownImage[] {
  return content.flatMap((block) => {
    if (block.type !== 'image') return [];
    const { mimeType, data } = block as { type: 'image'; mimeType: string; data: string };
    return [{ url: `data:${mimeType};base64,${data}` }];
  });
}

/** Returns the bytes of a file of an asset, checked against its hash. */
export async function readFile(app: App, library: string, file: AssetFile): Promise<ArrayBuffer> {
  if (app.getHostCapabilities()?.serverResources === undefined) throw new Error(messages.noFiles);
  const path = file.path.split('/').map(encodeURIComponent).join('/');
  const { contents } = await app.readServerResource({ uri: `bindery://${library}/${path}` });
  const [content] = contents;
  if (content === undefined || !('blob' in content)) throw new Error(messages.noAnswer);
  const bytes = bytesOf(content.blob);
  if (bytes.byteLength === file.size && (await sha256(bytes)) === file.sha256) return bytes;
  throw new Error(messages.damaged(file.path));
}

function bytesOf(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;
}
