import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { ManifestAsset } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import { digestOf } from '../library/manifest.ts';
import { fileSource } from '../tree/file-source.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import { DerivedFileCache } from './derived-file-cache.ts';
import type { RenderedThumbnail, ThumbnailOmissions } from './thumbnail-renderer.ts';

const CACHE_BYTES = 4 * 1024 ** 3;
/** Incremented if the layout of cached files changes. */
const CACHE_FORMAT = 2;
const WARNING = '.warning';

/** A thumbnail to send, with what it should show but does not; or why there is none. */
export type ThumbnailResult =
  | { source: UploadSource; omissions?: ThumbnailOmissions | undefined }
  | { warning: string };

/** Caches the thumbnails and warnings of one renderer version, by everything that determines the picture. */
export class ThumbnailCache {
  readonly #cache: DerivedFileCache;
  readonly #version: string;

  constructor(cacheFolder: string, version: string) {
    this.#cache = new DerivedFileCache(join(cacheFolder, 'thumbnails'), CACHE_BYTES);
    this.#version = version;
  }

  find(asset: ManifestAsset): ThumbnailResult | null {
    const name = this.#name(asset);
    const picture = this.#cache.read(name);
    if (picture !== null) {
      const { webp, omissions } = unpacked(picture.content);
      return { source: sourceOf(asset, webp, picture.path), omissions };
    }
    const warning = this.#cache.read(name + WARNING);
    return warning === null ? null : { warning: warning.content.toString('utf8') };
  }

  keep(asset: ManifestAsset, thumbnail: RenderedThumbnail): ThumbnailResult {
    const name = this.#name(asset);
    if ('warning' in thumbnail) {
      this.#cache.write(name + WARNING, Buffer.from(thumbnail.warning));
      return thumbnail;
    }
    const { webp, omissions } = thumbnail;
    return { source: sourceOf(asset, webp, this.#cache.write(name, packed(thumbnail))), omissions };
  }

  /** Makes room. Must not be called while a source of this cache is in use. */
  trim(): void {
    this.#cache.trim();
  }

  #name({ kind, format, entry, files }: ManifestAsset): string {
    return hash(
      'sha256',
      JSON.stringify([CACHE_FORMAT, this.#version, kind, format, entry, digestOf(files)]),
    );
  }
}

const LENGTH_BYTES = 4;

/** Joins the picture, its omissions as JSON and the length of the JSON, so that none is stored without the others. */
function packed({ webp, omissions }: Extract<RenderedThumbnail, { webp: Uint8Array }>): Uint8Array {
  const json = Buffer.from(omissions === undefined ? '' : JSON.stringify(omissions));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([webp, json, length]);
}

function unpacked(content: Buffer): { webp: Uint8Array; omissions: ThumbnailOmissions | undefined } {
  const end = content.length - LENGTH_BYTES;
  const json = content.subarray(end - content.readUInt32LE(end), end);
  const omissions = json.length === 0 ? undefined : JSON.parse(json.toString('utf8'));
  return { webp: content.subarray(0, end - json.length), omissions };
}

/** Returns a source that reads the picture from `place` when it is sent, or keeps it in memory if `place` is null. */
export function sourceOf({ id }: ManifestAsset, webp: Uint8Array, place: string | null): UploadSource {
  const source = bytesSource(`${THUMBNAILS_FOLDER}${id}.webp`, webp);
  const { path, size, sha256 } = source;
  return place === null ? source : fileSource({ path, size, sha256 }, place);
}
