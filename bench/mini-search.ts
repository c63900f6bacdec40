import type { ManifestAsset } from '@bindery/contract';
import MiniSearch from 'minisearch';

/** MiniSearch over assets, configured as its documentation suggests for search as you type; returns the best first. */
export function miniSearch(assets: readonly ManifestAsset[]): (query: string) => ManifestAsset[] {
  const index = new MiniSearch<Record<string, string>>({
    idField: 'number',
    fields: ['title', 'tags', 'id', 'description'],
    searchOptions: { prefix: true, fuzzy: 0.2, boost: { title: 3, tags: 2, id: 2 } },
  });
  for (const [number, { id, title = '', tags = [], description = '' }] of assets.entries())
    index.add({ number: String(number), id, title, tags: tags.join(' '), description });
  return (query) => index.search(query).map(({ id, score }) => ({ ...assets[id], score }) as ManifestAsset);
}
