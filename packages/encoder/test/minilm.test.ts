import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installMiniLM, MINILM_FILES, missingForMiniLM } from '../../../test/minilm.ts';
import { canRun } from '../../sdk/test/credentials/needed-programs.ts';
import { createEncoder, type Encoder, folderSource, modelId, pullModel, RECIPES } from '../src/index.ts';

describe.runIf(canRun('MiniLM', missingForMiniLM()))('MiniLM with its real weights', () => {
  let folder: string;
  let encoder: Encoder;

  beforeAll(async () => {
    await installMiniLM();
    folder = await mkdtemp(join(tmpdir(), 'bindery-minilm-'));
    await pullModel({ folder, model: 'minilm', source: folderSource(MINILM_FILES) });
    encoder = await createEncoder({ folder, model: 'minilm' });
  }, 300_000);
  afterAll(async () => {
    await encoder?.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('is what the hub has, by the hashes that are known of it', async () => {
    const { files } = await pullModel({ folder, model: 'minilm', source: folderSource(MINILM_FILES) });
    const known = RECIPES.get(modelId('minilm'))?.hub.sha256 ?? {};
    expect(files.map(({ sha256 }) => sha256).sort()).toEqual(Object.values(known).sort());
  });

  test('finds what is meant in other words, and leaves out what is not', async () => {
    const assets = [
      'Sofa',
      'Hammer. tools',
      'Quadruped robot. A machine that walks on four legs',
      'Traffic light',
      'Avocado',
      'Turtlebot3 waffle',
    ];
    const vectors = await encoder.embedText(assets);
    const nearest = async (query: string) => {
      const [vector] = await encoder.embedText([query], { isQuery: true });
      const from = (await encoder.relatedFrom(query)) ?? 0;
      const cosines = vectors.map((own) =>
        own.reduce((sum, value, at) => sum + value * (vector?.[at] ?? 0), 0),
      );
      const best = Math.max(...cosines);
      return best < from ? null : assets[cosines.indexOf(best)];
    };
    expect(await nearest('couch for the living room')).toBe('Sofa');
    expect(await nearest('robot dog')).toBe('Quadruped robot. A machine that walks on four legs');
    expect(await nearest('signal at a crossroads')).toBe('Traffic light');
    expect(await nearest('tool to drive nails')).toBe('Hammer. tools');
    expect(await nearest('income tax form')).toBeNull();
    expect(await nearest('mobile robot on wheels')).toBe('Turtlebot3 waffle');
  });

  test('does not know words of other scripts, nor what is no word', async () => {
    for (const unknown of ['机器人', 'робот', 'ρομπότ', 'روبوت', 'xyzzyq', 'blorft wug']) {
      expect(await encoder.relatedFrom(unknown), unknown).toBe(Number.POSITIVE_INFINITY);
    }
    expect(await encoder.relatedFrom('roboter')).toBe(0.39);
  });
});
