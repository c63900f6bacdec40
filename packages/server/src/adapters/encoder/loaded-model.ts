import { withTimeout } from '@bindery/concurrency';
import { LIMITS } from '@bindery/contract';
import { EncoderError, type Encoder as Model } from '@bindery/encoder';
import { LRUCache } from 'lru-cache';
import type {
  CompareText,
  EncodedItems,
  EncodedQuery,
  EncoderFacts,
  EncodingFailure,
} from '../../search/encoder.ts';

export interface QueryLimits {
  /** How long a search waits for a vector (milliseconds). */
  waitLimit: number;
  /** How many vectors are cached. */
  cacheSize: number;
  /** After this many failures in a row the model is paused. */
  maxConsecutiveFailures: number;
  /** For how long it is paused (milliseconds). */
  pauseDuration: number;
}

export const QUERY_LIMITS: QueryLimits = {
  waitLimit: 2_000,
  cacheSize: 2_000,
  maxConsecutiveFailures: 3,
  pauseDuration: 30_000,
};

/** A quarter of a second of the slowest model. */
const TEXTS_AT_ONCE = 8;

/** A model that encodes queries, with a cache of their vectors. It never throws, and never makes a search wait long. */
export class LoadedModel {
  readonly #model: Model;
  readonly #limits: QueryLimits;
  readonly #failed: (message: string) => void;
  readonly #remembered: LRUCache<string, { vector: Float32Array; relatedFrom: number | null }>;
  readonly #underWay = new Map<string, Promise<EncodedQuery>>();
  /** Whether a vector has been made. Making the first includes loading the model, so its delay is not a failure. */
  #warm = false;
  #failures = 0;
  #pausedUntil = 0;

  /** @param failed is called whenever the model is paused */
  constructor(model: Model, failed: (message: string) => void, limits: QueryLimits = QUERY_LIMITS) {
    this.#model = model;
    this.#failed = failed;
    this.#limits = limits;
    this.#remembered = new LRUCache({ max: limits.cacheSize });
  }

  get id(): string {
    return this.#model.id;
  }

  get facts(): EncoderFacts {
    const { version, dim, encodesImages } = this.#model;
    return { version, dim, encodesImages };
  }

  /** Whether a query would be tried now. */
  get available(): boolean {
    return performance.now() >= this.#pausedUntil;
  }

  async encode(text: string): Promise<EncodedQuery> {
    const remembered = this.#remembered.get(text);
    if (remembered) return { ok: true, model: this.id, ...remembered, cached: true };
    if (!this.available) {
      const reason = 'The encoder failed recently and is paused.';
      return { ok: false, failure: 'resting', reason };
    }
    return withTimeout(this.#underWay.get(text) ?? this.#start(text), this.#limits.waitLimit, () =>
      this.#tooLate(),
    );
  }

  async compareWords(query: string): Promise<CompareText | null> {
    return this.#model.compareWords(query).catch(() => null);
  }

  /** Encodes a few texts at a time, so that the queries of others do not wait for all of them. */
  encodeTexts(texts: readonly string[]): Promise<EncodedItems> {
    return this.#encodeItems(async () => {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += TEXTS_AT_ONCE)
        vectors.push(...(await this.#model.embedText(texts.slice(at, at + TEXTS_AT_ONCE))));
      return vectors.map(padded);
    });
  }

  /** Encodes a picture at a time, for the same reason. */
  encodePictures(pictures: readonly Uint8Array[]): Promise<EncodedItems<Float32Array | null>> {
    return this.#encodeItems(async () => {
      const vectors: (Float32Array | null)[] = [];
      for (const picture of pictures) vectors.push(await this.#encodePicture(picture));
      return vectors;
    });
  }

  async #encodePicture(picture: Uint8Array): Promise<Float32Array | null> {
    try {
      const [vector] = await this.#model.embedImages([picture]);
      return vector ? padded(vector) : null;
    } catch (error) {
      if (error instanceof EncoderError && error.failure === 'image') return null;
      throw error;
    }
  }

  async #encodeItems<Vector>(encode: () => Promise<Vector[]>): Promise<EncodedItems<Vector>> {
    try {
      const { id: model, version } = this.#model;
      return { ok: true, model, version, vectors: await encode() };
    } catch (error) {
      return { ok: false, failure: failureOf(error), reason: (error as Error).message };
    }
  }

  /** Loads the model by encoding something. */
  prepare(): void {
    if (!this.#warm && this.#underWay.size === 0 && this.available) void this.#start('a');
  }

  /** Waits for queries in progress, then frees the model. */
  async retire(): Promise<void> {
    await Promise.all(this.#underWay.values());
    await this.close();
  }

  close(): Promise<void> {
    return this.#model.close();
  }

  /** Starts encoding a query. A vector that comes too late for its search is cached for the next one. */
  #start(text: string): Promise<EncodedQuery> {
    const result = this.#run(text).finally(() => this.#underWay.delete(text));
    this.#underWay.set(text, result);
    return result;
  }

  async #run(text: string): Promise<EncodedQuery> {
    try {
      const [[encoded], relatedFrom] = await Promise.all([
        this.#model.embedText([text], { isQuery: true }),
        this.#model.relatedFrom(text),
      ]);
      if (encoded === undefined) throw new Error('The model returned nothing.');
      const vector = padded(encoded);
      this.#remembered.set(text, { vector, relatedFrom });
      this.#warm = true;
      this.#failures = 0;
      return { ok: true, model: this.id, vector, relatedFrom, cached: false };
    } catch (error) {
      const reason = (error as Error).message;
      if (!isTransient(error)) this.#countFailure(reason);
      return { ok: false, failure: failureOf(error), reason };
    }
  }

  #tooLate(): EncodedQuery {
    if (!this.#warm) return { ok: false, failure: 'loading', reason: 'The encoder is being loaded.' };
    const reason = `The encoder took longer than ${this.#limits.waitLimit} ms.`;
    this.#countFailure(reason);
    return { ok: false, failure: 'late', reason };
  }

  #countFailure(reason: string): void {
    this.#failures++;
    if (this.#failures < this.#limits.maxConsecutiveFailures || !this.available) return;
    this.#pausedUntil = performance.now() + this.#limits.pauseDuration;
    this.#failures = 0;
    this.#failed(reason);
  }
}

/** Appends zeros up to the size of vectors here, which change no cosine. */
function padded(vector: Float32Array): Float32Array {
  const { dimensions } = LIMITS.embedding;
  if (vector.length >= dimensions) return vector;
  const whole = new Float32Array(dimensions);
  whole.set(vector);
  return whole;
}

/** Whether the error says nothing about the model: the queue was full, or the service is stopping. */
function isTransient(error: unknown): boolean {
  return error instanceof EncoderError && (error.failure === 'busy' || error.failure === 'closed');
}

/** `image` and `refused` cannot occur for text queries to an installed model. */
function failureOf(error: unknown): EncodingFailure {
  if (!(error instanceof EncoderError)) return 'failed';
  return error.failure === 'image' || error.failure === 'refused' ? 'failed' : error.failure;
}
