import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  baseName,
  expandXacro,
  extensionOf,
  folderOf,
  type MacroFiles,
  macroFiles,
  UnreadableFileError,
  writeExpanded,
} from '@bindery/formats';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { PublishOptions } from '../tree/publish-rules.ts';
import { discoverLibrary } from './discover-library.ts';
import { readIn } from './facts-cache.ts';

/** What became of the robots in macros. Paths are relative to the folder. */
export interface ExpandedRobots {
  /** URDF files that were written, or would be. */
  readonly written: readonly string[];
  /** Sentences about robots that were not written. */
  readonly skipped: readonly string[];
}

/** The second line of a file that may be written again. */
const MARK = 'Expanded by Bindery from';
const WRITTEN_FROM = new RegExp(`^.*\\n<!-- ${MARK} (.*?)(?: with \\S+)? -->`);

/** See `expandRobots`. */
export function writeRobots(folder: string, options: PublishOptions, isTried: boolean): ExpandedRobots {
  const { root, assets } = discoverLibrary(folder, options);
  const written: string[] = [];
  const skipped: string[] = [];
  const { during = (_, work) => work() } = readIn(root);
  for (const asset of assets) {
    const files = macroFiles(
      asset.files.map(({ path }) => path),
      (path) => new Uint8Array(readFileSync(join(root, path))),
    );
    for (const model of modelsOf(asset, files)) {
      try {
        for (const { path, text } of during(model, () => expansionsOf(model, files))) {
          const place = join(root, path);
          const before = existsSync(place) ? readFileSync(place, 'utf8') : undefined;
          if (before === text) continue;
          if (before !== undefined && !before.includes(MARK)) {
            skipped.push(`${path} is there already, and not from ${baseName(model)}: it stays as it is`);
            continue;
          }
          if (!isTried) writeFileSync(place, text);
          written.push(path);
        }
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        skipped.push(`${model} cannot be expanded: ${error.message}`);
      }
    }
  }
  return { written, skipped };
}

/** The files in macros that an asset opens, or that what it opens was written from. */
function modelsOf({ kind, entry, entryPoints = {} }: DiscoveredAsset, { index, read }: MacroFiles): string[] {
  if (kind !== 'urdf') return [];
  const opened = [entry, ...Object.values(entryPoints).map(({ file }) => file)];
  const models = opened.map((file) => {
    if (file === undefined || extensionOf(file) === 'xacro') return file;
    const [, origin] = WRITTEN_FROM.exec(new TextDecoder().decode(read(file))) ?? [];
    return origin === undefined ? undefined : `${folderOf(file)}${origin}`;
  });
  return [...new Set(models)].filter((file): file is string => file !== undefined && index.has(file));
}

/** The robots that a file in macros describes: one, or one for each value of an argument that chooses among them. */
function expansionsOf(model: string, files: MacroFiles): { path: string; text: string }[] {
  const stem = `${folderOf(model)}${baseName(model).replace(/(?:\.urdf)?\.xacro$/i, '')}`;
  const usual = expandXacro(model, files);
  const [choice] = usual.choices;
  const robots =
    choice === undefined
      ? [{ path: `${stem}.urdf`, note: '', root: usual.root }]
      : choice[1].map((value) => ({
          path: `${stem}_${value}.urdf`,
          note: ` with ${choice[0]}:=${value}`,
          root: expandXacro(model, files, new Map([[choice[0], value]])).root,
        }));
  return robots.map(({ path, note, root }) => ({
    path,
    text: writeExpanded(root, `${MARK} ${baseName(model)}${note}`).text,
  }));
}
