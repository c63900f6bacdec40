import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createEncoder, EncoderError, folderOfModel } from '@bindery/encoder';
import type { Context } from '../../context.ts';
import type { CompareText, EncodedItems, EncodedQuery, Encoder, EncoderFacts } from '../../search/encoder.ts';
import { LoadedModel, type QueryLimits } from './loaded-model.ts';

export interface ActiveEncoderOptions {
  /** Where models are stored. */
  folder: string;
  /** The id of the model. */
  model: string;
  /** The id of a model that needs no folder, used while `model` is missing; null for none. */
  fallback?: string | null;
  log: Context['log'];
  /** How often the folder is checked, in milliseconds. */
  refreshInterval?: number;
  /** Milliseconds for one query in the worker. */
  timeLimit?: number;
  /** Queries that can wait. */
  queueLength?: number;
  limits?: QueryLimits;
}

/** Searches give up long before; a late vector is cached for the next search. */
const TIME_LIMIT = 10_000;

/** At 30 ms each, the last one still finishes in time. */
const QUEUE_LENGTH = 64;

const REFRESH_INTERVAL = 15_000;

/**
 * Opens the encoder of the service's model, which need not be installed yet: the folder is checked periodically, and a
 * model that is added, replaced or removed is picked up without a restart. Vectors name the model that made them, and
 * queries in progress when the model changes are finished by the model that started them.
 */
export async function openActiveEncoder(options: ActiveEncoderOptions): Promise<Encoder> {
  const encoder = new ActiveEncoder(options);
  await encoder.refresh();
  return encoder;
}

class ActiveEncoder implements Encoder {
  readonly #options: ActiveEncoderOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #retiring = new Set<LoadedModel>();
  #loaded: LoadedModel | null = null;
  /** Undefined before the first check, so that a missing model is logged once. */
  #seen: string | null | undefined;
  #refreshing: Promise<void> | null = null;
  #absence: string;
  #closed = false;

  constructor(options: ActiveEncoderOptions) {
    this.#options = options;
    this.#absence = `The model ${options.model} is not in ${options.folder}.`;
    this.#timer = setInterval(() => void this.refresh(), options.refreshInterval ?? REFRESH_INTERVAL).unref();
  }

  get model(): string | null {
    return this.#loaded?.available ? this.#loaded.id : null;
  }

  get facts(): EncoderFacts | null {
    return this.#loaded?.available ? this.#loaded.facts : null;
  }

  async encodeQuery(text: string): Promise<EncodedQuery> {
    return this.#loaded?.encode(text) ?? this.#missing();
  }

  async encodeTexts(texts: readonly string[]): Promise<EncodedItems> {
    return this.#loaded?.encodeTexts(texts) ?? this.#missing();
  }

  async encodePictures(pictures: readonly Uint8Array[]): Promise<EncodedItems<Float32Array | null>> {
    return this.#loaded?.encodePictures(pictures) ?? this.#missing();
  }

  async compareWords(query: string): Promise<CompareText | null> {
    return this.#loaded?.compareWords(query) ?? null;
  }

  prepare(): void {
    this.#loaded?.prepare();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await Promise.all([this.#loaded, ...this.#retiring].map((model) => model?.close()));
  }

  /** Loads what is in the model's folder now; concurrent calls share one check. Never throws. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<void> {
    const { folder, model, log } = this.#options;
    const found = await fingerprintOf(folderOfModel(folder, model));
    if (found === this.#seen || this.#closed) return;
    this.#seen = found;
    const next = await this.#open();
    if (this.#closed) return void (await next?.close());
    this.#retire(this.#loaded);
    this.#loaded = next;
    if (next) log.info({ model: next.id }, 'queries are encoded by this model');
    else log.info({ model }, `searches use keywords only: ${this.#absence}`);
  }

  async #open(): Promise<LoadedModel | null> {
    const { model, fallback = null } = this.#options;
    const found = await this.#openModel(model);
    return found === null && fallback !== null ? this.#openModel(fallback) : found;
  }

  async #openModel(model: string): Promise<LoadedModel | null> {
    const { folder, log, limits } = this.#options;
    const { timeLimit = TIME_LIMIT, queueLength = QUEUE_LENGTH } = this.#options;
    try {
      const encoder = await createEncoder({ folder, model, timeLimit, queueLength });
      const failed = (reason: string) => log.warn({ model }, `the encoder fails: ${reason}`);
      return new LoadedModel(encoder, failed, limits);
    } catch (error) {
      if (!(error instanceof EncoderError)) throw error;
      this.#absence = error.message;
      return null;
    }
  }

  #missing() {
    return { ok: false, failure: 'missing', reason: this.#absence } as const;
  }

  #retire(old: LoadedModel | null): void {
    if (!old) return;
    this.#retiring.add(old);
    void old.retire().finally(() => this.#retiring.delete(old));
  }
}

/** Returns a fingerprint that changes with any file of a folder; null if there is no folder. */
async function fingerprintOf(folder: string): Promise<string | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null) return null;
  const marks = names.sort().map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => null);
    return found && [name, found.ino, found.size, found.mtimeMs];
  });
  return JSON.stringify(await Promise.all(marks));
}
