import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ComposedScene, Placement } from '@bindery/formats';
import { MJCF_ENTRY } from '@bindery/formats/mjcf/write';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { type ModelToConvert, readModel, writeModel } from './convert/convert.ts';
import { composeScene as compose, type ScenePart } from './convert/scene.ts';
import { simulateFiles } from './simulate/simulate-files.ts';

/** Writes a scene of models into an empty folder. @throws Unrenderable naming the model that cannot be placed. */
export async function composeScene(
  models: readonly (ModelToConvert & Placement)[],
  into: string,
): Promise<ComposedScene> {
  const parts: ScenePart[] = [];
  for (const model of models) {
    const { name, at, turn, on, scale } = model;
    try {
      parts.push({ name, at, turn, on, scale, mechanism: await readModel(model) });
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      throw new Unrenderable(`${name}: ${error.message}`);
    }
  }
  const { mechanism, placed } = compose(parts);
  const written = [];
  for (const [target, entry] of [
    ['mjcf', 'scene.xml'],
    ['usd', 'scene.usdz'],
  ] as const) {
    const model = await writeModel(mechanism, target);
    for (const [path, bytes] of model.files) {
      const place = join(into, path === model.entry ? entry : path);
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, bytes, { flag: 'wx' });
    }
    written.push(model);
  }
  const [mjcf] = written;
  const { mujoco, problems } = await simulateFiles(mjcf?.files ?? new Map(), MJCF_ENTRY);
  return { placed, losses: mjcf?.losses ?? [], mujoco, problems };
}
