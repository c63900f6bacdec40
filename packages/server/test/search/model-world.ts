import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SEMANTIC_HEADER } from '@bindery/contract';
import { createEncoder, folderOfModel, folderSource, pullModel } from '@bindery/encoder';
import pino from 'pino';
import { type BROKEN_TEXT, writeBrokenModel } from '../../../encoder/test/broken-models.ts';
import { SMALL_MODEL, writeSmallModel } from '../../../encoder/test/small-model.ts';
import { type ActiveEncoderOptions, openActiveEncoder } from '../../src/adapters/encoder/active-encoder.ts';
import { QUERY_LIMITS } from '../../src/adapters/encoder/loaded-model.ts';
import { NO_METRICS, type QueryOutcome } from '../../src/metrics.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';
import { sidecarFiles } from './embeddings.ts';

export type ModelKind = 'small' | keyof typeof BROKEN_TEXT;

/** Milliseconds that a model may take to appear on a busy machine. */
export const TIMEOUT = 60_000;

/**
 * A real service with a real encoder over a folder of models, and three libraries of ada's: `home` with vectors of the
 * encoder's model, `other` with those of another one, `plain` without.
 */
export class ModelWorld {
  readonly service: TestService;
  readonly ada: Actor;
  /** What became of queries, in their order. */
  readonly outcomes: QueryOutcome[];
  readonly #base: string;

  static async open(options: Partial<ActiveEncoderOptions> = {}): Promise<ModelWorld> {
    const base = await mkdtemp(join(tmpdir(), 'bindery-world-'));
    const outcomes: QueryOutcome[] = [];
    const encoder = await openActiveEncoder({
      folder: join(base, 'models'),
      model: SMALL_MODEL,
      log: pino({ level: 'silent' }),
      refreshInterval: 20,
      limits: { ...QUERY_LIMITS, pauseDuration: 50 },
      ...options,
    });
    const metrics = {
      ...NO_METRICS,
      queryEncoded: ({ outcome }: { outcome: QueryOutcome }) => outcomes.push(outcome),
    };
    const service = await startService({ encoder, metrics });
    const world = new ModelWorld(base, service, await service.member('ada'), outcomes);
    await world.#publish();
    return world;
  }

  private constructor(base: string, service: TestService, ada: Actor, outcomes: QueryOutcome[]) {
    this.#base = base;
    this.service = service;
    this.ada = ada;
    this.outcomes = outcomes;
  }

  get models(): string {
    return join(this.#base, 'models');
  }

  async close(): Promise<void> {
    await this.service.close();
    await rm(this.#base, { recursive: true, force: true });
  }

  /** Brings a model of the encoder's id, as `bindery model pull` does. */
  async install(kind: ModelKind): Promise<void> {
    const source = folderSource(folderOfModel(await written(kind), SMALL_MODEL));
    await pullModel({ folder: this.models, model: SMALL_MODEL, source });
  }

  /** Why a search of a library is by meaning or not, as its answer says. */
  async reasonOf(library: string): Promise<string | null> {
    const { headers } = await this.ada.get(`/namespaces/ada/libraries/${library}/search?q=red`);
    return headers.get(SEMANTIC_HEADER);
  }

  async #publish(): Promise<void> {
    const [red, blue] = await colors();
    const same = new Float32Array(768).fill(1 / Math.sqrt(768));
    const vectors = { red: { text: red }, blue: { text: blue }, same: { text: same } };
    const assets = Object.keys(vectors).map((id) => ({ id, files: { [`${id}/a.stl`]: id } }));
    await publish(this.ada, 'ada/home', { assets, generated: sidecarFiles(vectors, { model: SMALL_MODEL }) });
    await publish(this.ada, 'ada/other', { assets, generated: sidecarFiles(vectors, { model: 'a/b/c' }) });
    await publish(this.ada, 'ada/plain', { assets });
  }
}

const folders = new Map<ModelKind, Promise<string>>();
let vectors: Promise<[Float32Array, Float32Array]> | undefined;

/** A folder of models with this one in it, written once for all tests of a file. */
function written(kind: ModelKind): Promise<string> {
  const folder = folders.get(kind) ?? write(kind);
  folders.set(kind, folder);
  return folder;
}

async function write(kind: ModelKind): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-written-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await (kind === 'small' ? writeSmallModel(folder) : writeBrokenModel(folder, kind));
  return folder;
}

/** The small model's vectors of the words red and blue. */
function colors(): Promise<[Float32Array, Float32Array]> {
  vectors ??= encodeColors();
  return vectors;
}

async function encodeColors(): Promise<[Float32Array, Float32Array]> {
  const model = await createEncoder({ folder: await written('small'), model: SMALL_MODEL });
  const encoded = await model.embedText(['red', 'blue']);
  await model.close();
  return encoded as [Float32Array, Float32Array];
}
