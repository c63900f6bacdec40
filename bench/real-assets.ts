import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The libraries of real assets; benchmarks over them have no rows where they are not installed. */
export const DATA = fileURLToPath(new URL('../../shared/data/', import.meta.url));

/** A real asset; paths are relative to the folder of its library in `DATA`. */
export interface RealAsset {
  id: string;
  library: string;
  title: string;
  kind: string;
  format: string;
  entry: string;
  files: { path: string; size: number }[];
}

/** The real assets; empty if they are not installed. */
export function realAssets(): RealAsset[] {
  if (existsSync(join(DATA, 'assets.json')))
    return (JSON.parse(readFileSync(join(DATA, 'assets.json'), 'utf8')) as { assets: RealAsset[] }).assets;
  process.stderr.write(`There is no ${DATA}: no real assets.\n`);
  return [];
}
