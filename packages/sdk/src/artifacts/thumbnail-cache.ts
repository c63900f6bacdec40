import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { AssetStatistics, ManifestAsset } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import type { Omissions } from '@bindery/formats/reading/omissions';
import { digestOf } from '../library/manifest.ts';
import { fileSource } from '../tree/files.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import { DerivedFileCache } from './derived-file-cache.ts';
import type { RenderedThumbnail } from './thumbnails.ts';

const CACHE_BYTES = 4 * 1024 ** 3;
/** Incremented if the layout of cached files changes, or what is said of models. */
const CACHE_FORMAT = 5;
const WARNING = '.warning';
const STATISTICS = '.statistics';

/** What a renderer says of what it drew. */
interface ThumbnailFacts {
  omissions?: Omissions | undefined;
  statistics?: AssetStatistics | undefined;
}

/** A thumbnail to send, or why there is none. */
export type ThumbnailResult = ({ source: UploadSource } & ThumbnailFacts) | { warning: string };

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
      const { webp, ...facts } = unpacked(picture.content);
      return { source: sourceOf(asset, webp, picture.path), ...facts };
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
    const { webp, ...facts } = thumbnail;
    return { source: sourceOf(asset, webp, this.#cache.write(name, packed(webp, facts))), ...facts };
  }

  /** Returns what was measured when the asset was drawn, or without drawing it; null if it never was. */
  findStatistics(asset: ManifestAsset): { statistics?: AssetStatistics | undefined } | null {
    const measured = this.#cache.read(this.#name(asset) + STATISTICS);
    if (measured !== null) return JSON.parse(measured.content.toString('utf8'));
    const drawn = this.find(asset);
    return drawn !== null && 'source' in drawn ? { statistics: drawn.statistics } : null;
  }

  keepStatistics(asset: ManifestAsset, statistics: AssetStatistics | undefined): void {
    this.#cache.write(this.#name(asset) + STATISTICS, Buffer.from(JSON.stringify({ statistics })));
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

/** Joins the picture, what is said of it as JSON and the length of the JSON, so that none is stored without the others. */
function packed(webp: Uint8Array, facts: ThumbnailFacts): Uint8Array {
  const json = Buffer.from(JSON.stringify(facts));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(json.length);
  return Buffer.concat([webp, json, length]);
}

function unpacked(content: Buffer): { webp: Uint8Array } & ThumbnailFacts {
  const end = content.length - LENGTH_BYTES;
  const start = end - content.readUInt32LE(end);
  return {
    ...(JSON.parse(content.toString('utf8', start, end)) as ThumbnailFacts),
    webp: content.subarray(0, start),
  };
}

/** Returns a source that reads the picture from `place` when it is sent, or keeps it in memory if `place` is null. */
export function sourceOf({ id }: ManifestAsset, webp: Uint8Array, place: string | null): UploadSource {
  const source = bytesSource(`${THUMBNAILS_FOLDER}${id}.webp`, webp);
  const { path, size, sha256 } = source;
  return place === null ? source : fileSource({ path, size, sha256 }, place);
}
