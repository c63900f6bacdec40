/** The search parameters of an asset's page: how its library is read, and what of the asset is shown. */
export interface AssetSearch {
  /** A share token. */
  share?: string;
  release?: string;
  /** The path of the entry point that the viewer shows; absent for the first. */
  entry?: string;
  /** A view of it that somebody copied: camera, pose and choices. */
  view?: string;
  /** The path of the file that is open for reading. */
  file?: string;
}

export function readAssetSearch(values: Record<string, unknown>): AssetSearch {
  const search: AssetSearch = {};
  for (const name of ['share', 'release', 'entry', 'view', 'file'] as const) {
    const value = values[name];
    if (typeof value === 'string' && value !== '') search[name] = value;
  }
  return search;
}
