import { assetMessages } from '../../messages/asset.ts';

/** A file that opens an asset. */
export interface EntryPoint {
  name: string;
  kind: string;
  file: string;
}

/** Returns what can be shown of an asset: its entry first, then its other entry points. */
export function entryPointsOf({
  kind,
  entry,
  entryPoints,
}: {
  kind: string;
  entry: string | null;
  entryPoints: Readonly<Record<string, { kind: string; file: string }>>;
}): EntryPoint[] {
  const further = Object.entries(entryPoints).map(([name, point]) => ({ name, ...point }));
  if (entry === null) return further;
  return [
    further.find(({ file }) => file === entry) ?? { name: assetMessages.entry, kind, file: entry },
    ...further.filter(({ file }) => file !== entry),
  ];
}
