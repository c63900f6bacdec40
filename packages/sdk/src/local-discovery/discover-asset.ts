import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { userPathProblem } from '@bindery/contract/wire';
import { assetIdsFor } from '../discovery/asset-id.ts';
import { describeAsset } from '../discovery/describe.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import { Closures } from '../discovery/graph/closure.ts';
import { LibraryFiles } from '../discovery/graph/library-files.ts';
import { unitOfFiles } from '../discovery/units/units.ts';
import { TreeError } from '../failures.ts';
import { identityOf } from '../tree/file-identity.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { examineTree } from './examine-tree.ts';

/** Makes one asset of a folder or file (a real path). The paths in it begin with the name of that folder or file. */
export function discoverAsset(place: string): DiscoveredAsset<ScannedFile> {
  const name = basename(place);
  const problem = userPathProblem(name);
  if (problem !== null) throw new TreeError(`the name ${JSON.stringify(name)} ${problem}; rename it`);
  const isFolder = lstatSync(place).isDirectory();
  const files = isFolder
    ? folderFiles(place, name)
    : [{ path: name, ...identityOf(lstatSync(place, { bigint: true })) }];
  if (files.length === 0) throw new TreeError(`the folder ${name} has no files that are not hidden`);
  const library = new LibraryFiles(files, examineTree(dirname(place), files, undefined).facts);
  const unit = unitOfFiles(
    library,
    isFolder ? `${name}/` : name,
    files.map(({ path }) => path),
  );
  return describeAsset(
    { id: assetIdsFor([name]).get(name) ?? '', name, unit, files },
    undefined,
    undefined,
    { library, closures: new Closures(library) },
    (_, message) => {
      throw new TreeError(message);
    },
  ).asset;
}

function folderFiles(place: string, name: string): ScannedFile[] {
  return scanTree(place).files.map((file) => ({ ...file, path: `${name}/${file.path}` }));
}
