import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFindings, ModelIssue, ModelSimulation, ModelsToCheck, PlacedMesh } from '@bindery/formats';
import { compileModel, PluginNeeded } from '@bindery/formats/mjcf/compile';
import { placedMeshes } from '@bindery/formats/mjcf/geoms';
import { ModelFiles } from '@bindery/formats/mjcf/model-files';
import { type FileSource, memoryFiles } from '@bindery/formats/reading/asset-files';
import { Unrenderable } from '@bindery/formats/reading/errors';
import { validateBytes } from 'gltf-validator';
import { checkFiles } from './check-files.ts';
import { convertToSimulate } from './convert/convert.ts';
import { withMujoco } from './host/mujoco.ts';
import { createRendererContext } from './host/renderer-context.ts';
import { type SimulationOptions, simulateModel } from './simulate/simulate.ts';

/** Checks models with MuJoCo, Khronos' glTF validator, and the loaders of pictures. */
export async function checkModels(models: ModelsToCheck): Promise<ModelFindings> {
  const { root, sizes } = models;
  const files: FileSource = { sizes, read: async (path) => new Uint8Array(await readFile(join(root, path))) };
  return { ...(await checkEntries(models, files)), read: await checkFiles(models.files, files) };
}

async function checkEntries(
  { format, entries, isSimulated = false }: ModelsToCheck,
  files: FileSource,
): Promise<Omit<ModelFindings, 'read'>> {
  if (format === 'mjcf') return compileMjcf(entries, files, isSimulated ? {} : undefined);
  if (format !== 'gltf') return simulateConverted(format, entries, files);
  const issues: ModelIssue[] = [];
  for (const entry of entries) issues.push(...(await validateGltf(entry, files)));
  return { issues, placed: [], simulations: [] };
}

/**
 * Compiles models from their own files, without stand-ins. Returns MuJoCo's errors for those that do not compile, and
 * the meshes of the others, which are simulated with `simulated`. The models share one MuJoCo, which reads their files once,
 * until one of them fails or is large.
 */
export async function compileMjcf(
  entries: readonly string[],
  files: FileSource,
  simulated?: SimulationOptions,
): Promise<Omit<ModelFindings, 'read'>> {
  const issues: ModelIssue[] = [];
  const placed: PlacedMesh[] = [];
  const simulations: ModelSimulation[] = [];
  for (let at = 0; at < entries.length; at++) {
    try {
      await withMujoco(async (mujoco, isLarge) => {
        const context = createRendererContext(files);
        await context.files.readPackageNames();
        const models = new ModelFiles(mujoco, context);
        for (; at < entries.length; at++) {
          const entry = entries[at] ?? '';
          const model = compileModel(mujoco, await models.copy(entry));
          for (const mesh of placedMeshes(model)) placed.push({ file: entry, ...mesh });
          if (simulated !== undefined && !models.includedAmong(entries).has(entry))
            simulations.push({ file: entry, ...simulateModel(mujoco, model, simulated) });
          model.delete();
          if (isLarge()) break;
        }
      });
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      const severity = error instanceof PluginNeeded ? 'note' : 'error';
      issues.push({ file: entries[at] ?? '', severity, message: error.message });
    }
  }
  return { issues, placed, simulations };
}

/** Simulates models of another format as the MJCF that they become. */
async function simulateConverted(
  kind: string,
  entries: readonly string[],
  files: FileSource,
): Promise<Omit<ModelFindings, 'read'>> {
  const simulations: ModelSimulation[] = [];
  const unsimulated: { file: string; reason: string }[] = [];
  for (const file of entries) {
    try {
      const { entry, losses, speeds, idle, ...converted } = await convertToSimulate({
        kind,
        format: undefined,
        entry: file,
        files,
      });
      const found = await compileMjcf([entry], memoryFiles(converted.files), { speeds });
      simulations.push(
        ...found.simulations.map((simulation) => ({
          ...{ ...simulation, file, losses },
          problems: [...idle, ...simulation.problems],
        })),
      );
      unsimulated.push(...found.issues.map(({ message }) => ({ file, reason: message })));
    } catch (error) {
      if (!(error instanceof Unrenderable)) throw error;
      unsimulated.push({ file, reason: error.message });
    }
  }
  return { issues: [], placed: [], simulations, unsimulated };
}

/** Attributes of an extension that the validator does not know and calls invalid. */
function isOfExtension(pointer: string | undefined): boolean {
  return /\/attributes\/KHR_gaussian_splatting:/.test(pointer ?? '');
}

const MAX_ISSUES = 20;
const ERROR = 0;
const WARNING = 1;

/** Returns the errors and warnings of Khronos' glTF validator for a document, at most 20. */
async function validateGltf(entry: string, files: FileSource): Promise<ModelIssue[]> {
  if (!files.sizes.has(entry)) return [];
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  const { issues } = await validateBytes(await files.read(entry), {
    uri: entry,
    maxIssues: MAX_ISSUES,
    writeTimestamp: false,
    externalResourceFunction: async (uri) => {
      const path = decodeURIComponent(new URL(uri, `file:///${folder}`).pathname.slice(1));
      if (!files.sizes.has(path)) throw new Error(`${uri} is not among the files`);
      return files.read(path);
    },
  });
  return issues.messages
    .filter(
      ({ severity, pointer }) => (severity === ERROR || severity === WARNING) && !isOfExtension(pointer),
    )
    .map(({ severity, code, message, pointer }) => ({
      file: entry,
      severity: severity === ERROR ? 'error' : 'warning',
      message: `${message} (${[code, pointer].filter(Boolean).join(' at ')})`,
    }));
}
