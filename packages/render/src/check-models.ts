import { validateBytes } from 'gltf-validator';
import { Unrenderable } from './errors.ts';
import { memoryFiles } from './files.ts';
import { compileModel } from './load/mjcf/compile.ts';
import { copyModelFiles } from './load/mjcf/model-files.ts';
import { withMujoco } from './load/mjcf/mujoco.ts';
import { loadContext } from './load/renderer-context.ts';

type Files = ReadonlyMap<string, Uint8Array>;

/** What MuJoCo says of a model with its own files (none stood in for); null where it compiles. */
export async function compileMjcf(entry: string, files: Files): Promise<string | null> {
  try {
    await withMujoco(async (mujoco) => {
      const path = await copyModelFiles(mujoco, entry, undefined, loadContext(memoryFiles(files)));
      compileModel(mujoco, path).delete();
    });
    return null;
  } catch (error) {
    if (error instanceof Unrenderable) return error.message;
    throw error;
  }
}

export interface GltfIssue {
  severity: 'error' | 'warning';
  message: string;
}

const MAX_ISSUES = 20;
const ERROR = 0;
const WARNING = 1;

/** What Khronos' glTF validator finds in a document: its errors and warnings, at most 20. */
export async function validateGltf(entry: string, files: Files): Promise<GltfIssue[]> {
  const bytes = files.get(entry);
  if (bytes === undefined) return [];
  const folder = entry.slice(0, entry.lastIndexOf('/') + 1);
  const { issues } = await validateBytes(bytes, {
    uri: entry,
    maxIssues: MAX_ISSUES,
    writeTimestamp: false,
    externalResourceFunction: async (uri) => {
      const path = new URL(uri, `file:///${folder}`).pathname.slice(1);
      const found = files.get(decodeURIComponent(path));
      if (found === undefined) throw new Error(`${uri} is not among the files`);
      return found;
    },
  });
  return issues.messages
    .filter(({ severity }) => severity === ERROR || severity === WARNING)
    .map(({ severity, code, message, pointer }) => ({
      severity: severity === ERROR ? 'error' : 'warning',
      message: `${message} (${[code, pointer].filter(Boolean).join(' at ')})`,
    }));
}
