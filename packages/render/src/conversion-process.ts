import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  killOnMemoryLimitOrOrphaned,
  serveProcessTasks,
  type TaskContext,
} from '@bindery/concurrency/process';
import type { ComposedScene, MadeProp, Refusal, StoredAsset } from '@bindery/formats';
import { UnreadableFileError } from '@bindery/formats/files/unreadable';
import type { FileSource } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { STAGE_PICTURE_SIDE, stagePicture } from '@bindery/formats/usd/format';
import { certifyAsset } from './certify-asset.ts';
import { composeScene } from './compose-scene.ts';
import { convertAsset, packConversion } from './convert-asset.ts';
import { drawModel } from './draw-model.ts';
import type { CertifiedForEngines } from './engines/engines.ts';
import { prepareEngines } from './engines/prepare.ts';
import { createRendererContext, encodeIcon } from './host/renderer-context.ts';
import { makeProp } from './make-prop.ts';
import type { AssetToConvert, ConversionTask, ConvertedAsset } from './process-pools.ts';
import { readVerified, UnreadFile } from './verified-file.ts';

killOnMemoryLimitOrOrphaned(Number(process.env.BINDERY_RENDER_MEMORY));
serveProcessTasks<undefined, ConversionTask>(() => run);

async function run(
  task: ConversionTask,
  { ask }: TaskContext,
): Promise<CertifiedForEngines | ComposedScene | ConvertedAsset | MadeProp | Refusal> {
  try {
    if (task.as === 'prop') return await makeProp(task);
    if (task.as === 'scene') {
      const models = task.parts.map((part, index) => ({
        ...part,
        files: verifiedFiles(part, (path) => ask(`${index} ${path}`)),
      }));
      return await composeScene(models, task.into);
    }
    const { kind, format, entry } = task;
    const model = { kind, format, entry, files: verifiedFiles(task, ask) };
    return task.as === 'certificate' ? await certify(task, model) : await convert(task, model);
  } catch (error) {
    if (error instanceof UnreadFile) return { refused: error.message, isTransient: true };
    if (error instanceof Unrenderable || error instanceof UnreadableFileError)
      return { refused: error.message, isTransient: false };
    throw error;
  }
}

async function certify(
  { enginesFolder }: Extract<ConversionTask, { as: 'certificate' }>,
  model: Parameters<typeof certifyAsset>[0],
): Promise<CertifiedForEngines> {
  const certified = await certifyAsset(model);
  if (enginesFolder === undefined) return certified;
  try {
    return { ...certified, task: await prepareEngines(model, enginesFolder) };
  } catch (error) {
    if (!(error instanceof Unrenderable)) throw error;
    return { ...certified, task: { refused: `no engine gets it: ${error.message}` } };
  }
}

async function convert(
  { as, simReady, into, isPacked }: AssetToConvert,
  model: Parameters<typeof convertAsset>[0],
): Promise<ConvertedAsset> {
  const converted = await convertAsset(model, as, simReady);
  const { entry, losses, proof, ...made } = isPacked ? packConversion(converted) : converted;
  const isStage = as === 'usd' && model.kind !== 'usd' && !isPacked;
  const files = isStage ? new Map([...made.files, ...(await iconOf(model, entry))]) : made.files;
  for (const [path, bytes] of files) {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), bytes, { flag: 'wx' });
  }
  return { entry, files: [...files.keys()], losses, proof };
}

/** The picture of a model where programs of NVIDIA look for it; none of what cannot be drawn. */
async function iconOf(
  model: Parameters<typeof convertAsset>[0],
  entry: string,
): Promise<[path: string, bytes: Uint8Array][]> {
  try {
    const { picture } = await drawModel(model, createRendererContext(model.files));
    return [[stagePicture(entry), await encodeIcon(picture, STAGE_PICTURE_SIDE)]];
  } catch (error) {
    if (error instanceof Unrenderable) return [];
    throw error;
  }
}

function verifiedFiles({ sizes, hashes }: StoredAsset, ask: (path: string) => Promise<unknown>): FileSource {
  const locate = (path: string) =>
    ask(path).catch((cause: unknown) => {
      throw new UnreadFile(`${path} cannot be read`, { cause });
    });
  return {
    sizes,
    read: async (path) => readVerified(path, String(await locate(path)), hashes.get(path) ?? ''),
  };
}
