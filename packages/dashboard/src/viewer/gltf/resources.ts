import { imageSize, percentDecoded } from '@bindery/formats';
import { type AssetFiles, toMessageText, Unrenderable } from '@bindery/render/models';
import { createObjectUrl, revokeObjectUrl } from '../object-urls.ts';
import { webPicture } from '../web-picture.ts';
import type { Gltf, GltfFile } from './container.ts';
import { withoutTextures } from './images.ts';

/** A glTF file whose buffers and images have been replaced by object URLs, which are valid only in this frame. */
export interface LocalGltf {
  readonly json: Gltf;
  /** Sentences about textures that are not shown. */
  readonly omitted: readonly string[];
  /** Revokes the object URLs. */
  release(): void;
}

/**
 * Loads every buffer and image from the asset. External URLs are not followed.
 *
 * @throws Unrenderable for a buffer that is not in the asset.
 */
export async function localGltf(
  entry: string,
  { json, binary }: GltfFile,
  files: AssetFiles,
  maxPixels: number,
): Promise<LocalGltf> {
  const addresses: string[] = [];
  const addressOf = (content: Blob) => {
    const address = createObjectUrl(content);
    addresses.push(address);
    return address;
  };
  const read = (uri: string) => {
    const path = files.resolve(entry, percentDecoded(uri));
    return path === undefined ? undefined : (files.read(path) as Promise<Uint8Array<ArrayBuffer>>);
  };

  const buffers = await Promise.all(
    (json.buffers ?? []).map(async (buffer, index) => {
      if (buffer.uri === undefined) {
        if (index > 0 || binary === undefined) throw new Unrenderable('a buffer of the glTF file is missing');
        return { ...buffer, uri: addressOf(new Blob([binary])), bytes: binary };
      }
      const bytes = isData(buffer.uri) ? dataBytes(buffer.uri) : await read(buffer.uri);
      if (bytes === undefined) {
        const uri = isData(buffer.uri) ? null : toMessageText(buffer.uri);
        throw new Unrenderable(
          uri === null ? 'a buffer of the glTF file is damaged' : `the asset has no file ${uri}`,
        );
      }
      return { ...buffer, uri: addressOf(new Blob([bytes])), bytes };
    }),
  );

  const reasons = new Map<string, string>();
  const images = await Promise.all(
    (json.images ?? []).map(async ({ uri, bufferView, mimeType }, index) => {
      const view = json.bufferViews?.[bufferView ?? -1];
      const within = view && buffers[view.buffer ?? -1]?.bytes;
      const bytes =
        view && within
          ? within.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + (view.byteLength ?? 0))
          : uri !== undefined && (isData(uri) ? dataBytes(uri) : await read(uri));
      try {
        if (!bytes) throw new Unrenderable('no such file');
        return { uri: addressOf(await pictureOf(bytes, mimeType, maxPixels)) };
      } catch (error) {
        if (!(error instanceof Unrenderable)) throw error;
        const name = uri !== undefined && !isData(uri) ? uri : `image ${index}`;
        reasons.set(toMessageText(name), error.message);
        return undefined;
      }
    }),
  );

  const { json: cleaned, missing } = withoutTextures(json, (image) => images[image] !== undefined);
  const named = [...reasons].slice(0, 5).map(([name, reason]) => `${name}: ${reason}`);
  return {
    json: {
      ...cleaned,
      buffers: buffers.map(({ bytes: _, ...buffer }) => buffer),
      images: images.map((image) => image ?? { uri: BLANK }),
    },
    omitted: missing > 0 ? [`${missing} of ${json.textures?.length} textures (${named.join('; ')})`] : [],
    release: () => {
      for (const address of addresses) revokeObjectUrl(address);
    },
  };
}

/** Placeholder for unreadable images, which no texture uses any longer. */
const BLANK = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

/** Returns a picture that browsers decode. @throws Unrenderable */
async function pictureOf(
  bytes: Uint8Array<ArrayBuffer>,
  type: string | undefined,
  maxPixels: number,
): Promise<Blob> {
  const size = imageSize(bytes);
  if (size === undefined) throw new Unrenderable('cannot be decoded');
  if (size.width * size.height > maxPixels) throw new Unrenderable('too many pixels');
  return (await webPicture(bytes, maxPixels)) ?? new Blob([bytes], { type: type ?? '' });
}

function isData(uri: string): boolean {
  return /^data:/i.test(uri);
}

function dataBytes(uri: string): Uint8Array<ArrayBuffer> | undefined {
  const comma = uri.indexOf(',');
  try {
    const [head, body] = [uri.slice(0, comma), uri.slice(comma + 1)];
    if (!/;base64$/i.test(head)) return new TextEncoder().encode(decodeURIComponent(body));
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
