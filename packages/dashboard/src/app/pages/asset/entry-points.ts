import type { AssetDetail } from '@bindery/contract';
import { assetMessages } from '../../messages/asset.ts';

/** A file that opens an asset. */
export interface EntryPoint {
  name: string;
  kind: string;
  file: string;
}

type Opened = Pick<AssetDetail, 'kind' | 'entry' | 'entryPoints'>;

/** Returns what can be shown of an asset: its entry first, then its other entry points. */
export function entryPointsOf({ kind, entry, entryPoints }: Opened): EntryPoint[] {
  const further = Object.entries(entryPoints).map(([name, point]) => ({ name, ...point }));
  if (entry === null) return further;
  return [
    further.find(({ file }) => file === entry) ?? { name: assetMessages.entry, kind, file: entry },
    ...further.filter(({ file }) => file !== entry),
  ];
}
