import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { userPathProblem } from '@bindery/contract';
import { TreeError } from '../failures.ts';
import { identityOf } from '../tree/file-identity.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { assetIdsFor } from './asset-id.ts';
import { describeAsset } from './describe.ts';
import type { DiscoveredAsset } from './discovered.ts';
import { examineFiles } from './examine-files.ts';
import { Closures } from './graph/closure.ts';
import { LibraryFiles } from './graph/library-files.ts';
import { unitOfFiles } from './units/units.ts';

/** One folder or file (a real path) as an asset; its paths begin with its own name. */
export function discoverAsset(place: string): DiscoveredAsset {
  const name = basename(place);
  const problem = userPathProblem(name);
  if (problem !== null) throw new TreeError(`the name ${JSON.stringify(name)} ${problem}; rename it`);
  const isFolder = lstatSync(place).isDirectory();
  const files = isFolder
    ? folderFiles(place, name)
    : [{ path: name, ...identityOf(lstatSync(place, { bigint: true })) }];
  if (files.length === 0) throw new TreeError(`${place} holds no file that is not hidden`);
  const library = new LibraryFiles(files, examineFiles(dirname(place), files));
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
