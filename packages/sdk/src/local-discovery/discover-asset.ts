import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { userPathProblem } from '@bindery/contract/wire';
import { describeAsset } from '../discovery/describe.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { Closures, type Finding, LibraryFiles } from '../discovery/graph/closure.ts';
import { assetIdsFor } from '../discovery/units/names.ts';
import { unitOfFiles } from '../discovery/units/units.ts';
import { findingsOf } from '../discovery/warnings.ts';
import { TreeError } from '../failures.ts';
import { identityOf } from '../tree/file-identity.ts';
import { readPart } from '../tree/files.ts';
import { holdsPrivateKey, isSecretName, mayHoldPrivateKey } from '../tree/publish-rules.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import { examineTree, readIn } from './facts-cache.ts';

/**
 * Makes one asset of a folder or file (a real path), and lists what it leaves out of the folder. The paths begin with
 * the name of that folder or file. Throws `TreeError`.
 */
export function discoverAsset(place: string): {
  asset: DiscoveredAsset<ScannedFile>;
  findings: Finding[];
  leftOut: SkippedPath[];
} {
  const name = basename(place);
  const problem = userPathProblem(name);
  if (problem !== null) throw new TreeError(`The name ${JSON.stringify(name)} ${problem}; rename it.`);
  const isFolder = lstatSync(place).isDirectory();
  const { files, leftOut } = isFolder ? folderFiles(place, name) : singleFile(place, name);
  if (files.length === 0)
    throw new TreeError(`The folder ${name} has no files that are not hidden or left out.`);
  const root = dirname(place);
  const library = new LibraryFiles(files, examineTree(root, files, undefined).facts, readIn(root));
  const unit = unitOfFiles(
    library,
    isFolder ? `${name}/` : name,
    files.map(({ path }) => path),
  );
  const closures = new Closures(library);
  const { asset } = describeAsset(
    { id: assetIdsFor([name]).get(name) ?? '', name, unit, files },
    undefined,
    undefined,
    { library, closures, copied: new Set() },
    (_, message) => {
      throw new TreeError(message);
    },
  );
  return { asset, findings: findingsOf(asset, unit, closures), leftOut };
}

interface AssetFiles {
  files: ScannedFile[];
  leftOut: SkippedPath[];
}

function folderFiles(place: string, name: string): AssetFiles {
  const { files, leftOut } = scanTree(place);
  const named = <T extends { path: string }>(one: T): T => ({ ...one, path: `${name}/${one.path}` });
  return { files: files.map(named), leftOut: leftOut.map(named) };
}

/** Throws `TreeError` for a pipe or device, which might never end, and for a likely secret. */
function singleFile(place: string, name: string): AssetFiles {
  const stats = lstatSync(place, { bigint: true });
  if (!stats.isFile()) throw new TreeError(`${name} is not a regular file.`);
  const isSecret =
    isSecretName(name) ||
    (mayHoldPrivateKey(name) && holdsPrivateKey((length) => readPart(place, 0, length)));
  if (isSecret)
    throw new TreeError(`${name} is a likely secret, which is never published; rename it if it is not.`);
  return { files: [{ path: name, ...identityOf(stats) }], leftOut: [] };
}
