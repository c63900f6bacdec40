import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { SimulationRun } from '@bindery/contract';
import type { Omissions } from '@bindery/formats/reading/omissions';
import type { AssetCertifier } from '../../src/artifacts/certificates.ts';
import type { Measurement, RenderedThumbnail, ThumbnailRenderer } from '../../src/artifacts/thumbnails.ts';
import type { Embedder, EmbeddingModel } from '../../src/artifacts/vectors.ts';

/** Draws by writing its version before the bytes of the entry; `drawn` and `measured` are the entries so far. */
export class FakeRenderer implements ThumbnailRenderer {
  readonly version: string;
  readonly concurrency = 2;
  readonly drawn: string[] = [];
  readonly measured: string[] = [];
  /** What it says instead of drawing. */
  refusal: Extract<RenderedThumbnail, { warning: string }> | null = null;
  /** Whether it measures: as many triangles as the entry has bytes. */
  measures = false;
  /** What its pictures go without. */
  omissions: Omissions | undefined;

  constructor(version = '1') {
    this.version = version;
  }

  async render({ entry, files }: Parameters<ThumbnailRenderer['render']>[0]): Promise<RenderedThumbnail> {
    this.drawn.push(entry);
    if (this.refusal !== null) return this.refusal;
    const content = readFileSync(files.locate(entry).place);
    return {
      webp: Buffer.concat([Buffer.from(`${this.version}:`), content]),
      ...(this.omissions && { omissions: this.omissions }),
      ...(this.measures && { statistics: { triangles: content.length } }),
    };
  }

  async measure({ entry, files }: Parameters<ThumbnailRenderer['measure']>[0]): Promise<Measurement> {
    this.measured.push(entry);
    if (this.refusal !== null) return this.refusal;
    return this.measures ? { statistics: { triangles: readFileSync(files.locate(entry).place).length } } : {};
  }

  async close(): Promise<void> {}
}

/** Encodes anything as the axis that its hash names; `encoded` counts what it was given. */
export class FakeEmbeddingModel implements EmbeddingModel, Embedder {
  readonly id = 'stand-in/model/1';
  readonly dim = 768;
  readonly version: string;
  readonly length: number;
  encoded = 0;

  constructor({ length = 1, version = '1' } = {}) {
    this.length = length;
    this.version = version;
  }

  async open(): Promise<Embedder> {
    return this;
  }

  async embedText(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map((text) => this.#axis(Buffer.from(text)));
  }

  async embedImages(images: readonly Uint8Array[]): Promise<Float32Array[]> {
    return images.map((image) => this.#axis(image));
  }

  async close(): Promise<void> {}

  #axis(content: Uint8Array): Float32Array {
    this.encoded++;
    const vector = new Float32Array(this.dim);
    vector[hash('sha256', content, 'buffer').readUInt16BE() % this.dim] = this.length;
    return vector;
  }
}

/** Finds what the entry names; `simulated` are the entries so far. */
export class FakeCertifier implements AssetCertifier {
  readonly version: string;
  readonly concurrency = 2;
  readonly simulated: string[] = [];

  constructor(version = '1') {
    this.version = version;
  }

  async certify(
    { entry }: Parameters<AssetCertifier['certify']>[0],
    locate: (path: string) => Promise<string>,
  ) {
    this.simulated.push(entry);
    const [, code] = /code="([a-z-]+)"/.exec(readFileSync(await locate(entry), 'utf8')) ?? [];
    if (code === 'refused') return { refused: 'needs a plugin', isTransient: false };
    const certification: SimulationRun = {
      mujoco: '3.0',
      timestep: 0.002,
      rest: { seconds: 10, energy: [0, 1.23456789], contacts: 4 },
      problems: code === undefined ? [] : [{ code, message: `it has ${code}` }],
      losses: [],
    };
    return { certification, animation: Buffer.from(`run of ${entry}`) };
  }

  async close(): Promise<void> {}
}
