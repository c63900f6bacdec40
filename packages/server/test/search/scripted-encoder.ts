import type {
  CompareText,
  EncodedItems,
  EncodedQuery,
  Encoder,
  EncoderFacts,
} from '../../src/search/encoder.ts';
import { MODEL } from './embeddings.ts';

const NOT_KNOWN = {
  ok: false,
  failure: 'failed',
  reason: 'The encoder knows no such text.',
} as const;

/** An encoder that answers what a test says, and may be told to fail or to wait. */
export class ScriptedEncoder implements Encoder {
  model: string | null = MODEL;
  facts: EncoderFacts | null = { version: '1', dim: 768, encodesImages: true };
  readonly asked: string[] = [];
  /** The texts of assets that it encoded. */
  readonly encoded: string[] = [];
  /** How often it was told to be ready. */
  prepared = 0;
  readonly vectors = new Map<string, Float32Array>();
  /** The cosine from which an asset is related to a query; null if that is not known. */
  relatedFrom: number | null = 0;
  /** Compares texts with any query. */
  compares: CompareText | null = null;
  /** Takes the place of the usual answer. */
  behaviour: ((text: string) => Promise<EncodedQuery>) | null = null;

  async encodeQuery(text: string): Promise<EncodedQuery> {
    this.asked.push(text);
    if (this.behaviour) return this.behaviour(text);
    const vector = this.vectors.get(text);
    if (!vector || this.model === null) return NOT_KNOWN;
    return { ok: true, model: this.model, vector, relatedFrom: this.relatedFrom, cached: false };
  }

  async compareWords(): Promise<CompareText | null> {
    return this.compares;
  }

  async encodeTexts(texts: readonly string[]): Promise<EncodedItems> {
    if (this.model === null) return { ok: false, failure: 'missing', reason: 'There is no model.' };
    const vectors = texts.map((text) => this.vectors.get(text));
    if (!vectors.every((vector) => vector !== undefined)) return NOT_KNOWN;
    this.encoded.push(...texts);
    return { ok: true, model: this.model, version: this.facts?.version ?? '', vectors };
  }

  async encodePictures(): Promise<EncodedItems<Float32Array | null>> {
    return NOT_KNOWN;
  }

  prepare(): void {
    this.prepared++;
  }

  async close(): Promise<void> {}
}
