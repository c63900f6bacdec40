import { lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join, parse, posix, relative, sep } from 'node:path';
import { relayedError, ToolError, type WorkingCopies } from '@bindery/mcp';
import type { Client } from '@bindery/sdk';
import { trustedPart } from '@bindery/sdk/reading';
import { withRenderer } from '../commands/library/thumbnails.ts';
import { optionalPackage } from '../commands/optional-package.ts';
import { findSimilar } from './remote-catalog.ts';
import { withToolErrors } from './with-tool-errors.ts';

const ASSETS_FILE = 'assets.yml';
const LOCK_FILE = 'assets.lock';

/** Limits of composing a scene. */
const SCENE_BOUNDS = { workers: 1, timeoutMs: 300_000, memoryMiB: 4_096 };

interface LocalOptions {
  cacheFolder: string;
  stateFolder: string;
  cache: boolean;
  signal: AbortSignal;
}

/** Folders below `root`, which agents can pull into and push from. */
export function localWorkingCopies(client: Client, root: string, parts: LocalOptions): WorkingCopies {
  const real = realpathSync(root);
  const place = (folder: string) => resolveBelowRoot(real, withoutDots(belowRoot(folder, [root, real])));
  const selected = (assets: readonly string[] | null) => (assets === null ? {} : { assets: [...assets] });
  const until = (signal: AbortSignal) => ({ ...parts, signal: AbortSignal.any([parts.signal, signal]) });
  const clientFor = async (server: string | null) => {
    if (server === null || server === client.baseUrl) return client;
    throw otherService(server, client.baseUrl);
  };
  const functions: WorkingCopies = {
    async pull(library, assets, folder, signal) {
      const { pullLibrary } = await import('@bindery/sdk/reading');
      const pulled = await pullLibrary(client, library, place(folder), {
        ...until(signal),
        ...selected(assets),
        keep: true,
      });
      const { setAside, refused, unsupported } = pulled;
      return {
        ...pulled,
        setAside: setAside && { ...setAside, folder: relative(real, setAside.folder) },
        refused: [...refused, ...unsupported],
      };
    },
    async check(library, assets, folder, signal) {
      const { statLibrary } = await import('@bindery/sdk/reading');
      return statLibrary(client, library, place(folder), { ...until(signal), ...selected(assets) });
    },
    async findSimilar(file, request, signal) {
      const { describeFile } = await import('../commands/library/describe-file.ts');
      const path = withoutDots(belowRoot(file, [root, real]));
      const { described, missing } = await describeFile(resolveFile(real, path), { within: real, signal });
      return { ...(await findSimilar(client, described, request)), missing };
    },
    async outdated(folder, signal) {
      const { outdatedLibraries } = await import('@bindery/sdk/project-assets');
      const project = projectIn(place(folder), folder);
      return outdatedLibraries(project, { ...until(signal), clientFor });
    },
    async sync(folder, { use, upgrade }, signal) {
      const { syncProject } = await import('@bindery/sdk/project-assets');
      const project = place(folder);
      const undo = await writeUses(project, use);
      const synced = await syncProject(projectIn(project, folder), {
        ...until(signal),
        clientFor,
        upgrade: upgrade ? 'all' : undefined,
      }).catch((error: unknown) => {
        undo();
        throw error;
      });
      return {
        ...synced,
        assets: synced.lock.assets.map(({ name, library, asset, entry }) => ({
          name,
          library,
          asset,
          entry: entry === undefined ? null : `${library}/${entry}`,
        })),
      };
    },
    async compose(assets, folder, signal) {
      const { composeScene } = await import('@bindery/sdk/reading');
      const { createConversionPool } = await optionalPackage(
        '@bindery/render',
        'Composing a scene',
        () => import('@bindery/render'),
      );
      await using composer = createConversionPool(SCENE_BOUNDS);
      return await composeScene(client, assets, place(folder), { ...until(signal), composer });
    },
    async plan(library, folder, thumbnails, signal) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      const options = { ...until(signal), dryRun: true, drawsWhenPlanned: true };
      return withRenderer(thumbnails, SILENT, (drawing) =>
        pushFolder(client, library, place(folder), { ...options, ...drawing }),
      );
    },
    async push(library, folder, { plan, thumbnails }, signal) {
      const { pushFolder } = await import('@bindery/sdk/libraries');
      // The tool has asked about what this plan removes.
      const options = { ...until(signal), plan, confirmRemovals: async () => {} };
      const { status, revision } = await withRenderer(thumbnails, SILENT, (drawing) =>
        pushFolder(client, library, place(folder), { ...options, ...drawing }),
      );
      return { status: status === 'unchanged' ? status : 'published', revision };
    },
  };
  return withToolErrors(functions, (message) => withoutRoot(message, real), real);
}

/** Results of tools have no room for notes. */
const SILENT = { note: () => {} };

/** Returns the folder if it has a project of its own: one above it may be outside the root. */
function projectIn(place: string, folder: string): string {
  const files = [ASSETS_FILE, LOCK_FILE].filter((name) => hasFile(place, name));
  if (files.length > 0) return place;
  throw new ToolError(
    'no_project',
    `There is no ${ASSETS_FILE} in this folder.`,
    'Give the folder that has it; add_to_project writes it.',
    { folder },
  );
}

/** Returns the path on this machine of a file named relative to the root. Throws `ToolError` as `resolveBelowRoot` does. */
function resolveFile(root: string, path: string): string {
  const folder = resolveBelowRoot(root, posix.dirname(path));
  const name = posix.basename(path);
  if (!STEP.test(name) || name === '..') throw outside(path);
  if (!hasFile(folder, name))
    throw new ToolError('no_file', 'There is no such file.', 'Give another path.', { path });
  return join(folder, name);
}

/** Whether the folder has this file. A link could lead anywhere, and is refused. */
function hasFile(place: string, name: string): boolean {
  const found = lstatSync(join(place, name), { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile()) throw outside(name);
  return found !== undefined;
}

/**
 * Adds uses to `assets.yml`, which is created with its folder. An asset that is used already gets the release given.
 * Returns what takes them back.
 */
async function writeUses(folder: string, written: readonly string[]): Promise<() => void> {
  const { formatUse, parseUse, withoutUse, withUse, writeProjectFile } = await import(
    '@bindery/sdk/project-assets'
  );
  const uses = written.map((text) => {
    try {
      return parseUse(text);
    } catch (error) {
      if (error instanceof TypeError) throw relayedError('invalid_parameter', error);
      throw error;
    }
  });
  const file = join(folder, ASSETS_FILE);
  const before = hasFile(folder, ASSETS_FILE) ? readFileSync(file, 'utf8') : null;
  const others = uses.reduce((text: string | null, { library: { release: _, ...library }, ...use }) => {
    return text === null ? null : withoutUse(text, formatUse({ ...use, library })).text;
  }, before);
  const after = uses.reduce<string | null>(withUse, others);
  if (after === null || after === before) return () => {};
  mkdirSync(folder, { recursive: true });
  writeProjectFile(file, after);
  return () => {
    if (before === null) rmSync(file, { force: true });
    else writeProjectFile(file, before);
  };
}

function otherService(server: string, own: string): ToolError {
  return new ToolError(
    'other_service',
    'The project uses another service than the one that this server is signed in to.',
    'Ask the person to run "bindery sync" there, or to start this server with BINDERY_API_URL set to that service.',
    { server, own },
  );
}

/** A folder that is named by its absolute path, relative to one of the names of the root. */
function belowRoot(folder: string, roots: readonly string[]): string {
  const above = roots.find(
    (root) => folder === root || folder.startsWith(root.endsWith(sep) ? root : root + sep),
  );
  if (above === undefined) return folder;
  return folder.slice(above.length).split(sep).filter(Boolean).join('/') || '.';
}

/** A path as people write it: `./x` and `x/` are `x`. */
function withoutDots(folder: string): string {
  return folder.replace(/^(?:\.\/+)+(?=.)/, '').replace(/(?<=[^/])\/+$/, '') || '.';
}

/** Names folders and files relative to the root, as agents mostly do. */
function withoutRoot(message: string, root: string): string {
  return root === parse(root).root
    ? message
    : message.replaceAll(root + sep, '').replaceAll(`${root} `, '. ');
}

/**
 * Returns the path on this machine of a folder named relative to the root, which need not exist. Throws `ToolError` if
 * a step of it is a link or a file, leads up, or is one that other programs trust.
 *
 * @param root its real path
 */
export function resolveBelowRoot(root: string, folder: string): string {
  if (folder === '.') return root;
  const trusted = trustedPart(folder);
  if (trusted !== null) throw trustedFolder(folder, trusted);
  let place = root;
  for (const step of folder.split('/')) {
    if (!STEP.test(step) || step === '.' || step === '..') throw outside(folder);
    place = join(place, step);
    const found = lstatSync(place, { throwIfNoEntry: false });
    if (found !== undefined && !found.isDirectory()) throw outside(folder);
  }
  return place;
}

function trustedFolder(folder: string, trusted: string): ToolError {
  return new ToolError(
    'trusted_folder',
    'This folder is where other programs find what they run or trust.',
    'Give another folder, such as scenes/kitchen.',
    { folder, trusted },
  );
}

/** A single name on every system: Windows has drives and backslashes. */
const STEP = /^[^\\:\0]{1,255}$/;

function outside(folder: string): ToolError {
  return new ToolError(
    'outside_root',
    'This path is not below the root of this server.',
    'Give a path relative to the root, with slashes and without links: scenes/kitchen.',
    { path: folder },
  );
}
