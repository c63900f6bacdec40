import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CERTIFIED_KINDS, DEFAULT_KIND } from '@bindery/contract/wire';
import { type Problem, problem } from '../curation/check-codes.ts';
import type { DiscoveredAsset } from '../discovery/discovered-library.ts';
import type { DiscoveredFolder } from '../local-discovery/discover-library.ts';
import { describedBy } from '../pull/place-in-cache.ts';
import type { AssetConverter } from '../pull/pull-converted.ts';
import { layOutSimReady } from '../pull/simready-package.ts';
import { hashFile } from '../tree/hash-file.ts';

/**
 * Returns which requirements of SimReady the assets of a folder do not meet as USD, as a pull says of them: each is converted, and thrown
 * away. USD itself is as its author made it.
 */
export async function simReadyProblems(
  found: DiscoveredFolder,
  converter: AssetConverter,
  signal?: AbortSignal,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const asset of found.assets) {
    const { kind = DEFAULT_KIND, entry } = asset;
    if (kind === 'usd' || (kind !== 'mesh' && !CERTIFIED_KINDS.has(kind)) || entry === undefined) continue;
    signal?.throwIfAborted();
    const folder = await mkdtemp(join(tmpdir(), 'bindery-simready-'));
    try {
      problems.push(...(await lossesOf(found, asset, { kind, entry }, converter, folder)));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return problems;
}

async function lossesOf(
  { root, library }: DiscoveredFolder,
  asset: DiscoveredAsset,
  { kind, entry }: { kind: string; entry: string },
  converter: AssetConverter,
  draft: string,
): Promise<Problem[]> {
  const { id, files } = asset;
  const hashes = new Map(files.map(({ path }) => [path, hashFile(join(root, path))?.sha256 ?? '']));
  const converted = await converter.convert(
    {
      ...{ kind, format: asset.format, entry, as: 'usd', simReady: undefined, hashes, into: draft },
      sizes: new Map(files.map(({ path, size }) => [path, size])),
    },
    async (path) => join(root, path),
  );
  if ('refused' in converted)
    return [
      problem('simready-loss', id, `it cannot be converted to USD: ${converted.refused}`, { file: entry }),
    ];
  const generated = {
    draft,
    target: join(draft, id),
    asset: id,
    stage: converted.entry,
    files: converted.files,
  };
  const { losses } = layOutSimReady(generated, { ...describedBy(asset, library), entry }, []);
  return [...converted.losses, ...losses]
    .filter(({ what }) => what === 'SimReady')
    .flatMap(({ names, why }) =>
      names.map((name) => problem('simready-loss', id, `${name}: ${why}`, { file: entry })),
    );
}
