import { glob, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type CrossLibraryHit,
  LIMITS,
  type Manifest,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
  VECTORS_SCHEMA,
} from '@bindery/contract';
import { embeddingText } from '@bindery/contract/wire';
import { createEncoder, INCLUDED_MODEL } from '@bindery/encoder';
import { createMember, OWNER, pathOf, seedDataFolder, seedLibrary } from '@bindery/server/testing';
import { bindery, type RunningService } from '../../e2e/bindery.ts';
import { serve } from '../world.ts';
import type { JudgedQuery, SetLibrary } from './judged-set.ts';
import type { RankedQuery } from './measures.ts';

/** The model of a run, and where models are. */
export interface Model {
  id: string;
  folder: string;
}

/** Answers the queries of a set in the data folder of `home`, which `fill` filled. */
export class Services {
  readonly #home: string;
  readonly #model: Model;
  /** How many libraries have no vectors of the model until the service has made them. */
  #lacking = 0;

  constructor(home: string, model: Model) {
    this.#home = home;
    this.#model = model;
  }

  /** Publishes libraries, with vectors: pushes folders, and writes manifests into the data folder. */
  async fill(libraries: readonly SetLibrary[]): Promise<void> {
    const written = libraries.flatMap((library) => ('manifest' in library ? library : []));
    const pushed = libraries.flatMap((library) => ('folder' in library ? library : []));
    if (written.length === 0) await this.#push(pushed);
    else this.#lacking = (await seed(this.#dataDir, this.#model, written)) ? 0 : written.length;
  }

  /** Runs `work` over a service with the model, or with words alone, which `start` starts. */
  async with<Result>(
    model: boolean,
    work: (service: RunningService) => Promise<Result>,
    start = serve,
  ): Promise<Result> {
    const encoder = model ? this.#model.id : 'off';
    const service = await start(this.#dataDir, { ...this.#env, BINDERY_ENCODER: encoder });
    try {
      if (model) await this.#vectorsMade();
      return await work(service);
    } finally {
      await service.end();
    }
  }

  async #vectorsMade(): Promise<void> {
    const made = () => Array.fromAsync(glob('derived-vectors/**/vectors.json', { cwd: this.#dataDir }));
    while ((await made()).length < this.#lacking) await sleep(1_000);
  }

  get #dataDir(): string {
    return join(this.#home, 'data');
  }

  get #env(): Record<string, string> {
    return { HOME: this.#home, BINDERY_MODEL_DIR: this.#model.folder, BINDERY_MAX_DELAY_MS: 'off' };
  }

  async #push(libraries: readonly { name: string; folder: string }[]): Promise<void> {
    const token = await createMember(this.#dataDir);
    await this.with(true, async ({ url }) => {
      for (const { name, folder } of libraries) {
        process.stderr.write(`pushing ${name} …\n`);
        const options = ['--thumbnails', '--embed', '--model', this.#model.id, '--visibility', 'public'];
        const words = ['library', 'push', folder, `${OWNER}/${name}`, '--yes', ...options];
        const env = { ...this.#env, BINDERY_API_URL: url, BINDERY_TOKEN: token };
        const { exitCode, stderr } = await bindery(words, { env });
        if (exitCode !== 0) throw new Error(`The push of ${name} failed: ${stderr}`);
      }
    });
  }
}

export async function manifestsOf(
  { url }: RunningService,
  names: readonly string[],
): Promise<Map<string, Manifest>> {
  const manifests = names.map(async (name) => {
    return [name, (await (await fetch(`${url}${pathOf(name)}/manifest`)).json()) as Manifest] as const;
  });
  return new Map(await Promise.all(manifests));
}

/** Runs queries in the specified order or by relevance. */
export async function answer(
  { url }: RunningService,
  names: readonly string[],
  queries: readonly JudgedQuery[],
  rank: 'specified' | 'relevance',
): Promise<RankedQuery[]> {
  const searchOnce = async (q: string) => {
    const libraries = names.map((name) => `${OWNER}/${name}`).join(',');
    const asked = new URLSearchParams({ q, rank, libraries, limit: '200' });
    const found = await fetch(`${url}/library-search?${asked}`);
    if (!found.ok) throw new Error(`A search answered ${found.status}: ${await found.text()}`);
    return (await found.json()) as { hits: CrossLibraryHit[] };
  };
  // The model may still be loading at the first query.
  await searchOnce(queries[0]?.q ?? '');
  const ranked: RankedQuery[] = [];
  for (const query of queries) {
    const { hits } = await searchOnce(query.q);
    ranked.push({ ...query, ranked: hits.map(({ library, assetId }) => `${library}/${assetId}`) });
  }
  return ranked;
}

/**
 * Writes manifests into a new data folder, with the vectors of their texts if libraries keep such of the model; nothing
 * reads the files that they name. Returns whether they have vectors.
 */
async function seed(
  dataDir: string,
  model: Model,
  libraries: readonly { name: string; manifest: Manifest }[],
): Promise<boolean> {
  await mkdir(dataDir, { recursive: true });
  const encoder = await createEncoder({ folder: model.folder, model: model.id });
  try {
    const { dimensions } = LIMITS.embedding;
    const keepsVectors = encoder.dim === dimensions || model.id === INCLUDED_MODEL;
    await seedDataFolder(dataDir, async (seeding) => {
      for (const { name, manifest } of libraries) {
        if (!keepsVectors) {
          await seedLibrary(seeding, {
            name,
            manifest: Buffer.from(JSON.stringify(manifest)),
            visibility: 'public',
          });
          continue;
        }
        const texts = manifest.assets.flatMap((asset) => {
          const text = embeddingText(asset);
          return text === null ? [] : [{ id: asset.id, text }];
        });
        const rows = await encoder.embedText(texts.map(({ text }) => text));
        const matrix = new Float32Array(rows.length * dimensions);
        for (const [row, vector] of rows.entries()) matrix.set(vector, row * dimensions);
        const items = texts.map(({ id }, row) => ({ id, image: null, text: row }));
        const sidecar = { schema: VECTORS_SCHEMA, model: model.id, dim: dimensions, items };
        const generated = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];
        await seedLibrary(seeding, {
          name,
          manifest: Buffer.from(JSON.stringify({ ...manifest, generated })),
          artifacts: [
            { path: VECTORS_INDEX_PATH, bytes: Buffer.from(JSON.stringify(sidecar)) },
            { path: VECTORS_MATRIX_PATH, bytes: new Uint8Array(matrix.buffer) },
          ],
          visibility: 'public',
        });
      }
    });
    return keepsVectors;
  } finally {
    await encoder.close();
  }
}
