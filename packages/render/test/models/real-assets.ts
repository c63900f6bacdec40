import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

export const DATA = new URL('../../../../../shared/data/', import.meta.url);
/** Whether the real libraries are there; tests of them are skipped without. */
export const here = existsSync(DATA);

export interface DescribedAsset {
  library: string;
  id: string;
  kind: string;
  entry: string;
  files: { path: string; size: number }[];
}

/** The assets that a folder of real libraries describes. */
export async function assetsIn(folder: URL): Promise<(DescribedAsset & { folder: URL })[]> {
  const { assets } = JSON.parse(await readFile(new URL('assets.json', folder), 'utf8')) as {
    assets: DescribedAsset[];
  };
  return assets.map((asset) => ({ ...asset, folder }));
}

/** Those of the libraries and of the raw collections; none without them. */
export async function realAssets(): Promise<(DescribedAsset & { folder: URL })[]> {
  return here ? [...(await assetsIn(DATA)), ...(await assetsIn(new URL('raw/', DATA)))] : [];
}
