import { join, resolve } from 'node:path';
import type { ConversionFormat } from '@bindery/contract';
import type { Loss, ProofLine, StoredAsset, WrittenModel } from '@bindery/formats';
import type { SimReady } from '@bindery/formats/model/sim-ready';
import type { Client } from '../client/client.ts';
import { BinderyError } from '../failures.ts';
import { readCertificates } from '../library/certificates.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { sizesAndHashes } from '../library/manifest.ts';
import { writeNewFolder } from '../place/new-folder.ts';
import { type CachedAsset, type PlaceInCacheOptions, placeInCache } from './place-in-cache.ts';

/** Converts assets; reads them on this machine. */
export interface AssetConverter {
  convert(
    asset: StoredAsset & {
      as: ConversionFormat;
      /** What makes a rigid body of a mesh. */
      simReady: SimReady | undefined;
      /** The empty folder for the result. */
      into: string;
    },
    locate: (path: string) => Promise<string>,
  ): Promise<WrittenModel | { refused: string }>;
}

export interface ConvertedPull {
  library: string;
  revision: number;
  asset: string;
  as: ConversionFormat;
  /** The real path of the folder. */
  folder: string;
  /** The file to open, and all files, as paths in the folder. */
  entry: string;
  files: string[];
  /** Whether the folder had the same files before. */
  unchanged: boolean;
  losses: readonly Loss[];
  proof: readonly ProofLine[];
  fetched: { files: number; bytes: number };
}

interface ConversionOptions {
  as: ConversionFormat;
  /** What makes a rigid body of a mesh. */
  simReady?: SimReady | undefined;
  /** Writes URDF as one file, with its meshes in data URIs. */
  inline?: boolean | undefined;
  converter: AssetConverter;
}

/**
 * Pulls an asset into the cache of this machine and writes it in another format into a new folder, all of it or
 * nothing; USD is laid out as SimReady's packages are. Throws `BinderyError` (`conversion_refused`) if it cannot be converted, or the conversion is not proved;
 * `ConflictError` for a folder with other files; and what `placeInCache` throws.
 */
export async function pullConverted(
  client: Client,
  address: LibraryAddress,
  asset: string,
  target: string,
  { as, simReady, inline = false, converter, ...options }: PlaceInCacheOptions & ConversionOptions,
): Promise<ConvertedPull> {
  const cached = await placeInCache(client, address, asset, options);
  const isPackage = as === 'usd' && cached.kind !== 'usd';
  const certificates = isPackage
    ? await readCertificates(client, address, { id: asset, kind: cached.kind }, options.signal)
    : [];
  const { written, ...place } = await writeNewFolder(target, async (draft) => {
    const converted = await convertCached(cached, asset, draft, { as, simReady, converter });
    if (inline && as === 'urdf') {
      const { inlineMeshes } = await import('./inline-meshes.ts');
      return { ...converted, ...inlineMeshes(draft, asset, converted) };
    }
    if (!isPackage) return converted;
    const { entry: stage, files, losses } = converted;
    // Other pulls need nothing of formats.
    const { layOutSimReady } = await import('./simready-package.ts');
    const generated = { draft, target: resolve(target), asset, stage, files };
    const laidOut = layOutSimReady(generated, cached, certificates);
    return { ...converted, ...laidOut, losses: [...losses, ...laidOut.losses] };
  });
  const { library, revision, fetched } = cached;
  const { entry, files, losses, proof } = written;
  return { library, revision, asset, as, ...place, entry, files: [...files].sort(), losses, proof, fetched };
}

async function convertCached(
  { folder, kind, format, entry, files }: CachedAsset,
  asset: string,
  into: string,
  { as, simReady, converter }: ConversionOptions,
) {
  const refuse = (why: string) =>
    new BinderyError('conversion_refused', `${asset} cannot be converted to ${as}: ${why}.`, {
      details: { asset, as, reason: why },
    });
  if (entry === null) throw refuse('it names no file that opens it');
  const converted = await converter.convert(
    {
      kind,
      format,
      entry,
      as,
      simReady,
      ...sizesAndHashes(files),
      into,
    },
    async (path) => join(folder, path),
  );
  if ('refused' in converted) throw refuse(converted.refused);
  return converted;
}
