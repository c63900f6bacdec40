import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareUtf8 } from '@bindery/contract/wire';
import {
  baseName,
  expandXacro,
  extensionOf,
  folderOf,
  indexWithPackages,
  type MacroFiles,
  UnreadableFileError,
  writeXml,
} from '@bindery/formats';
import { plainStem } from '../discovery/units/models.ts';
import { scanTree } from '../tree/scan.ts';
import { type DiscoveryOptions, discoverLibrary } from './discover-library.ts';

/** What robots in macros have become, by paths in the folder. */
export interface ExpandedMacros {
  /** URDF files that were written or, in a dry run, would be. Those that are as they should be are not among them. */
  written: { file: string; from: string }[];
  /** Macros of which nothing was written, and why. */
  refused: { from: string; reason: string }[];
}

/**
 * Writes the robots that a folder describes only by macros as URDF beside these: `arm.urdf` for `arm.urdf.xacro`, or one
 * file for each value of an argument whose default names no file, as `ur5e.urdf` for `ur.urdf.xacro`. Files that it did not write itself are
 * never replaced. Throws `TreeError` and `CurationError`.
 */
export function expandMacros(
  folder: string,
  { dryRun = false, ...options }: DiscoveryOptions & { dryRun?: boolean | undefined } = {},
): ExpandedMacros {
  const { root, files } = scanTree(folder, options);
  const paths = files.map(({ path }) => path);
  const read = (path: string) => new Uint8Array(readFileSync(join(root, path)));
  const library = { index: indexWithPackages(paths, read), read };
  const result: ExpandedMacros = { written: [], refused: [] };
  for (const from of [...macrosIn(folder, paths, read, options)].sort(compareUtf8)) {
    try {
      for (const [file, text] of robotsOf(from, library)) {
        const existing = library.index.has(file) ? new TextDecoder().decode(read(file)) : null;
        if (existing === text) continue;
        if (existing !== null && sourceIn(existing) === undefined)
          result.refused.push({ from, reason: `${file} is there already` });
        else {
          if (!dryRun) writeFileSync(join(root, file), text);
          result.written.push({ file, from });
        }
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      result.refused.push({ from, reason: error.message });
    }
  }
  return result;
}

/** Returns the macros that assets are opened at, and those whose robots were written before. */
function macrosIn(
  folder: string,
  paths: readonly string[],
  read: MacroFiles['read'],
  options: DiscoveryOptions,
): Set<string> {
  const opened = discoverLibrary(folder, options).assets.flatMap(({ entry, entryPoints = {} }) => [
    ...(entry === undefined ? [] : [entry]),
    ...Object.values(entryPoints).map(({ file }) => file),
  ]);
  const known = new Set(paths);
  const written = paths.flatMap((path) => {
    const source =
      extensionOf(path) === 'urdf'
        ? sourceIn(new TextDecoder().decode(read(path).subarray(0, HEAD_BYTES)))
        : undefined;
    return source === undefined ? [] : [`${folderOf(path)}${source}`];
  });
  return new Set(
    [...opened.filter((path) => extensionOf(path) === 'xacro'), ...written].filter((path) => known.has(path)),
  );
}

/** Returns the URDF files that macros become, by path. */
function robotsOf(from: string, library: MacroFiles): Map<string, string> {
  const { root, choices } = expandXacro(from, library);
  const [choice] = choices;
  if (choice === undefined)
    return new Map([[`${folderOf(from)}${plainStem(from)}.urdf`, urdfOf(from, root)]]);
  const [argument, values] = choice;
  const names = values.filter((value) => /^[\w.-]+$/.test(value));
  return new Map(
    names.map((value) => {
      const robot = expandXacro(from, library, new Map([[argument, value]]));
      const name = value.startsWith(plainStem(from)) ? value : `${plainStem(from)}-${value}`;
      return [`${folderOf(from)}${name}.urdf`, urdfOf(from, robot.root)];
    }),
  );
}

/** More than the beginning of a file that was written here. */
const HEAD_BYTES = 1024;
const HEAD = '<?xml version="1.0"?>\n<!-- Expanded by bindery, which replaces changes made here, from ';

function urdfOf(from: string, root: ReturnType<typeof expandXacro>['root']): string {
  const { 'xmlns:xacro': _, ...attributes } = root.attributes;
  // Two dashes would end the comment.
  const source = baseName(from).replaceAll('--', '%2D%2D');
  return `${HEAD}${source} -->\n${writeXml({ ...root, attributes })}`;
}

/** Returns the name of the macros that a URDF was written from here; undefined for any other. */
function sourceIn(text: string): string | undefined {
  if (!text.startsWith(HEAD)) return undefined;
  return text.slice(HEAD.length, text.indexOf(' -->', HEAD.length)).replaceAll('%2D%2D', '--');
}
