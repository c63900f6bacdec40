import type { MainModule } from '@mujoco/mujoco';
import { Unrenderable } from '../../errors.ts';
import { toMessageText } from '../../files.ts';
import type { LoadContext } from '../context.ts';
import { checkPngSize } from './png.ts';
import { lastPart, type StandIns } from './stand-ins.ts';

/** A folder in MuJoCo's file system, empty at first. The file system is in memory and has no files of the host. */
export const ASSET_FOLDER = '/asset';

/**
 * Copies the XML files and those of the other files whose names they mention, or the stand-ins of these. Returns the
 * path of the entry.
 */
export async function copyModelFiles(
  mujoco: MainModule,
  entry: string,
  standIns: StandIns | undefined,
  { files, budget }: LoadContext,
): Promise<string> {
  if (!files.has(entry)) throw new Unrenderable(`no such file: ${toMessageText(entry)}`);
  const isXml = (path: string) => path === entry || path.endsWith('.xml');
  const mentioned = new Set<string>();
  for (const path of [...files.paths].filter(isXml)) {
    const bytes = await files.read(path);
    const text = new TextDecoder('utf-8').decode(bytes);
    for (const name of mentionedNames(text)) mentioned.add(name);
    if (ALIGNED.test(text)) standIns?.refuseMeshes();
    copy(mujoco, path, standIns?.withSmallSky(text) ?? bytes);
  }
  for (const path of [...files.paths].filter((path) => !isXml(path))) {
    if (!mentioned.has(lastPart(path))) continue;
    const standIn = standIns?.bytesFor(path);
    if (standIn === undefined) {
      const bytes = await files.read(path);
      checkPngSize(bytes, budget);
      copy(mujoco, path, bytes);
    } else copy(mujoco, path, standIn);
  }
  return `${ASSET_FOLDER}/${entry}`;
}

/** Frames that MuJoCo aligns with the inertia of meshes, so that poses depend on the actual meshes. */
const ALIGNED = /\balign(?:free)?\s*=\s*["'](?:true|auto)["']/;

function copy(mujoco: MainModule, path: string, bytes: Uint8Array): void {
  const full = `${ASSET_FOLDER}/${path}`;
  mujoco.FS.mkdirTree(full.slice(0, full.lastIndexOf('/')), 0o777);
  mujoco.FS.writeFile(full, bytes);
}

/** The last segments of all paths in `file`, `fileup` and similar attributes. */
function mentionedNames(xml: string): string[] {
  return Array.from(xml.matchAll(/\bfile\w*\s*=\s*["']([^"']*)["']/g), ([, path]) => lastPart(path ?? ''));
}
