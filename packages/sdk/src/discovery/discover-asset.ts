import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { userPathProblem } from '@bindery/contract';
import { TreeError } from '../failures.ts';
import { identityOf } from '../tree/file-identity.ts';
import { readHead } from '../tree/read-head.ts';
import { type ScannedFile, scanTree } from '../tree/scan.ts';
import { assetIdsFor } from './asset-id.ts';
import { describeAsset } from './describe.ts';
import type { DiscoveredAsset } from './discover.ts';

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
  return describeAsset(
    { id: assetIdsFor([name]).get(name) ?? '', files, root: isFolder ? `${name}/` : name },
    undefined,
    undefined,
    (path, bytes) => readHead(join(dirname(place), path), bytes),
    (_, message) => {
      throw new TreeError(message);
    },
  );
}

function folderFiles(place: string, name: string): ScannedFile[] {
  return scanTree(place).files.map((file) => ({ ...file, path: `${name}/${file.path}` }));
}
