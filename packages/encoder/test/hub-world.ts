import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  folderOfModel,
  type HubOptions,
  hubSource,
  type PulledModel,
  type PullOptions,
  pullModel,
} from '../src/index.ts';
import { httpGet } from './http-get.ts';
import { type Hub, type Repository, startHub } from './hub.ts';
import { SMALL_MODEL } from './small-model.ts';
import { smallRepositories } from './small-repositories.ts';

export const CLIP = 'open_clip/ViT-L-14/openai';

/** Paths in the repository `ada/bare` by the names of the installed files. */
export const BARE = {
  'vision_model.onnx': 'onnx/vision_model.onnx',
  'text_model.onnx': 'onnx/text_model.onnx',
  'tokenizer.json': 'tokenizer.json',
};
const OWN = { 'image.onnx': 'image.onnx', 'text.onnx': 'text.onnx', 'tokenizer.json': 'tokenizer.json' };

/** A hub with the repositories `ada/own` and `ada/bare`, and a machine with a folder of models. */
export class HubWorld {
  readonly folder: string;
  readonly hub: Hub;
  readonly own: Repository;
  readonly bare: Repository;
  readonly #base: string;

  static async open(): Promise<HubWorld> {
    const base = await mkdtemp(join(tmpdir(), 'bindery-hub-'));
    const { own, bare } = await smallRepositories(join(base, 'origin'));
    return new HubWorld(base, await startHub({ 'ada/own': own, 'ada/bare': bare }), own, bare);
  }

  private constructor(base: string, hub: Hub, own: Repository, bare: Repository) {
    this.#base = base;
    this.folder = join(base, 'models');
    this.hub = hub;
    this.own = own;
    this.bare = bare;
  }

  async close(): Promise<void> {
    this.hub.close();
    await rm(this.#base, { recursive: true, force: true });
  }

  pullOwn(hub: Partial<HubOptions> = {}, options: Partial<PullOptions> = {}): Promise<PulledModel> {
    return this.pull('ada/own', SMALL_MODEL, hub, options);
  }

  pullBare(hub: Partial<HubOptions> = {}, options: Partial<PullOptions> = {}): Promise<PulledModel> {
    return this.pull('ada/bare', 'clip', hub, options);
  }

  pull(
    repository: string,
    model: string,
    { revision = 'main', ...more }: Partial<HubOptions> = {},
    options: Partial<PullOptions> = {},
  ): Promise<PulledModel> {
    const source = hubSource({ endpoint: this.hub.url, repository, revision, token: null, ...more }, httpGet);
    return pullModel({ folder: this.folder, model, source, pause: 1, ...options });
  }

  expectOwn(): Promise<void> {
    return this.#expectWhole(SMALL_MODEL, OWN, this.own);
  }

  expectBare(): Promise<void> {
    return this.#expectWhole(CLIP, BARE, this.bare);
  }

  /** Every file of the installed model is what the repository has. */
  async #expectWhole(id: string, names: Record<string, string>, { files }: Repository): Promise<void> {
    const installed = folderOfModel(this.folder, id);
    expect((await readdir(installed)).sort()).toEqual([...Object.keys(names), 'model.json'].sort());
    for (const [name, path] of Object.entries(names)) {
      expect((await readFile(join(installed, name))).equals(files[path]!.bytes)).toBe(true);
    }
  }
}
