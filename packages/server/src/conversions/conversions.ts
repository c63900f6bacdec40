import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type ConversionFormat, DEFAULT_KIND } from '@bindery/contract';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import { LRUCache } from 'lru-cache';
import type { LibraryRow } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import { ServiceError, unavailable } from '../errors.ts';
import { callerOf } from '../limits/callers.ts';
import type { ObjectStore } from '../objects/store.ts';
import type { ClosureFile } from '../revision/file-closure.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { ConversionTurns } from './turns.ts';

/** How many refusals are remembered, and how long, in milliseconds. */
const REFUSALS = { ttl: 3_600_000, max: 10_000 };
/** Milliseconds for which a conversion that took too much is not tried again, so that it cannot keep others waiting. */
const FAILURE_TTL = 600_000;

/** Assets in other formats, each converted when it is first requested. */
export class Conversions {
  readonly #objects: Pick<ObjectStore, 'localFile'>;
  readonly #converter: AssetConverter;
  readonly #cache: ConversionCache;
  readonly #turns: ConversionTurns;
  readonly #running = new Map<string, Promise<ConvertedFile>>();
  readonly #refused = new LRUCache<string, Refusal>(REFUSALS);

  constructor(objects: Pick<ObjectStore, 'localFile'>, converter: AssetConverter, cache: ConversionCache) {
    this.#objects = objects;
    this.#converter = converter;
    this.#cache = cache;
    this.#turns = new ConversionTurns(converter.workers);
  }

  /**
   * Returns what identifies the converted content, whether it has been converted yet or not. Throws `renderer_missing`
   * where the service has no renderer.
   */
  async keyOf({ digest, kind, format, entry, as, simReady }: Conversion): Promise<string> {
    const version = await this.#converter.version(as);
    if (version === null) {
      const message = 'This service converts nothing: its operator has not installed @bindery/render.';
      throw new ServiceError('renderer_missing', message);
    }
    const parts = JSON.stringify([version, as, kind, format, entry, digest, simReady]);
    return createHash('sha256').update(parts).digest('hex');
  }

  /**
   * Returns the asset as one file, for whoever asks. Throws `conversion_refused` if it cannot be converted or the conversion is not
   * proved, `unavailable` when busy or failing for a while, and what `keyOf` throws.
   */
  async read(conversion: Conversion, asker: Viewer): Promise<ConvertedFile> {
    const key = await this.keyOf(conversion);
    const address = { storeId: conversion.storeId, key };
    return (await this.#cache.find(address)) ?? this.#makeOnce(address, conversion, asker);
  }

  /** Returns the file if the asset has been converted; null too where the service has no renderer. */
  async find(conversion: Conversion): Promise<ConvertedFile | null> {
    if ((await this.#converter.version(conversion.as)) === null) return null;
    const key = await this.keyOf(conversion);
    return this.#cache.find({ storeId: conversion.storeId, key });
  }

  async deleteStore(storeId: string): Promise<void> {
    await this.#cache.deleteStore(storeId);
  }

  async close(): Promise<void> {
    await this.#converter.close();
  }

  #makeOnce(address: ConversionAddress, conversion: Conversion, asker: Viewer): Promise<ConvertedFile> {
    const name = `${address.storeId} ${address.key}`;
    const running = this.#running.get(name);
    if (running) return running;
    const made = this.#make(address, conversion, asker).finally(() => this.#running.delete(name));
    this.#running.set(name, made);
    return made;
  }

  async #make(address: ConversionAddress, conversion: Conversion, asker: Viewer): Promise<ConvertedFile> {
    const known = this.#refused.get(address.key);
    if (known !== undefined) throw errorOf(conversion, known);
    const sha256 = new Map(conversion.files.map((file) => [file.path, file.sha256]));
    const locate = (path: string) =>
      this.#objects.localFile({ storeId: conversion.storeId, sha256: sha256.get(path) ?? '' });
    return this.#cache.make(address, async (into) => {
      const result = await this.#turns.run(claimsOf(conversion, asker), () =>
        this.#converter.convert(conversion, locate, into),
      );
      if (!('refused' in result)) return result;
      this.#refused.set(address.key, result, result.isTransient ? { ttl: FAILURE_TTL } : {});
      throw errorOf(conversion, result);
    });
  }
}

/** All who are anonymous have one claim together, and each address another. */
function claimsOf({ namespaceId }: Conversion, asker: Viewer): string[] {
  const namespace = `namespace ${namespaceId}`;
  if (asker.kind === 'account') return [namespace, `account ${asker.accountId}`];
  return [namespace, 'anonymous', `address ${callerOf(asker.origin?.address ?? '')}`];
}

/** Why there is no conversion; `isTransient`: there may be one another time. */
interface Refusal {
  refused: string;
  isTransient: boolean;
}

function errorOf(conversion: Conversion, { refused, isTransient }: Refusal): ServiceError {
  if (!isTransient) return refusal(conversion, refused);
  const retryAfter = FAILURE_TTL / 1_000;
  return unavailable(`Not done: ${refused}. Try again later.`, retryAfter);
}

function refusal({ as }: Conversion, reason: string): ServiceError {
  const what = as === 'certificate' ? 'simulated' : `converted to ${as}`;
  const message = `The asset cannot be ${what}: ${reason}.`;
  return new ServiceError('conversion_refused', message, { as, reason });
}

/** A format, or the certificate of a robot as JSON, which is made in the same way. */
export type ConvertedForm = ConversionFormat | 'certificate';

/** An asset of a library and what it is to become. */
export interface Conversion {
  storeId: string;
  /** Whose library it is in. */
  namespaceId: string;
  /** Of the asset's files. */
  digest: string;
  kind: string;
  format: string | undefined;
  entry: string;
  as: ConvertedForm;
  /** What makes a rigid body of a mesh. */
  simReady: SimReady | undefined;
  files: readonly ClosureFile[];
}

type Library = Pick<LibraryRow, 'store_id' | 'namespace_id'>;

/** Returns the conversion of an asset. Throws `conversion_refused` for one that names no file to open. */
export function conversionOf(
  index: RevisionIndex,
  {
    row,
    number,
    as,
    simReady,
  }: Pick<Conversion, 'as'> & Partial<Pick<Conversion, 'simReady'>> & { row: Library; number: number },
): Conversion {
  const { kind, format, entry, digest } = index.card(number);
  const files = Array.from(index.filesOf(number), (place) => index.files.at(place));
  const [only] = files;
  const opened = entry ?? (files.length === 1 ? only?.path : undefined) ?? '';
  const conversion: Conversion = {
    storeId: row.store_id,
    namespaceId: row.namespace_id,
    digest,
    kind: kind ?? DEFAULT_KIND,
    format: format ?? undefined,
    entry: opened,
    as,
    simReady,
    files,
  };
  if (opened === '') throw refusal(conversion, 'it names no file that opens it');
  return conversion;
}

/** A conversion of a store's content. */
export interface ConversionAddress {
  storeId: string;
  key: string;
}

/** What was written: the name of the file, and which kinds of things the conversion left out or changed. */
export interface WrittenConversion {
  name: string;
  losses: readonly string[];
}

export interface ConvertedFile extends WrittenConversion {
  bytes: number;
  sha256: string;
  open(): Readable;
}

/** Converts assets outside this process, because their contents are not trusted. */
export interface AssetConverter {
  /** How many assets are converted at once. */
  readonly workers: number;
  /** Changes when the same asset becomes something else in this form; null if this installation cannot convert. */
  version(as: ConvertedForm): Promise<string | null>;
  /**
   * Writes one file into an empty folder. `locate` returns the local file that has the bytes of a path. Called for as
   * many assets at once as there are workers.
   */
  convert(
    conversion: Conversion,
    locate: (path: string) => Promise<string>,
    into: string,
  ): Promise<WrittenConversion | Refusal>;
  close(): Promise<void>;
}

/** Caches converted assets on this machine, within bounds. Evicted ones are converted again. */
export interface ConversionCache {
  find(address: ConversionAddress): Promise<ConvertedFile | null>;
  /** Keeps the file that `write` writes into an empty folder. */
  make(
    address: ConversionAddress,
    write: (into: string) => Promise<WrittenConversion>,
  ): Promise<ConvertedFile>;
  /** Deletes the conversions of a store. */
  deleteStore(storeId: string): Promise<void>;
}
