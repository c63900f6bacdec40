import { hash } from 'node:crypto';
import { join } from 'node:path';
import { type ManifestAsset, THUMBNAILS_FOLDER } from '@bindery/contract';
import { digestOf } from '../library/manifest.ts';
import { bufferSource, fileSource, type UploadSource } from '../push/upload-source.ts';
import { MadeCache } from './made-cache.ts';
import type { RenderedThumbnail } from './thumbnail-renderer.ts';

const CACHE_BYTES = 4 * 1024 ** 3;
const WARNING = '.warning';

/** A thumbnail that can be sent, or why there is none. */
export type MadeThumbnail = { source: UploadSource } | { warning: string };

/** What one version of a renderer made of assets, by everything that decides on the picture. */
export class ThumbnailCache {
  readonly #cache: MadeCache;
  readonly #version: string;

  constructor(cacheFolder: string, version: string) {
    this.#cache = new MadeCache(join(cacheFolder, 'thumbnails'), CACHE_BYTES);
    this.#version = version;
  }

  find(asset: ManifestAsset): MadeThumbnail | null {
    const name = this.#name(asset);
    const picture = this.#cache.read(name);
    if (picture !== null) return { source: sourceOf(asset, picture.content, picture.place) };
    const warning = this.#cache.read(name + WARNING);
    return warning === null ? null : { warning: warning.content.toString('utf8') };
  }

  keep(asset: ManifestAsset, thumbnail: RenderedThumbnail): MadeThumbnail {
    const name = this.#name(asset);
    if ('warning' in thumbnail) {
      this.#cache.write(name + WARNING, Buffer.from(thumbnail.warning));
      return thumbnail;
    }
    return { source: sourceOf(asset, thumbnail.webp, this.#cache.write(name, thumbnail.webp)) };
  }

  /** Makes room for more; not while a source of this cache is in use. */
  trim(): void {
    this.#cache.trim();
  }

  #name({ kind, format, entry, files }: ManifestAsset): string {
    return hash('sha256', JSON.stringify([this.#version, kind, format, entry, digestOf(files)]));
  }
}

/** Reads the picture from its place when it is sent; it stays in memory only where it has none. */
export function sourceOf({ id }: ManifestAsset, webp: Uint8Array, place: string | null): UploadSource {
  const source = bufferSource(`${THUMBNAILS_FOLDER}${id}.webp`, Buffer.from(webp));
  const { path, size, sha256 } = source;
  return place === null ? source : fileSource({ path, size, sha256 }, place);
}
