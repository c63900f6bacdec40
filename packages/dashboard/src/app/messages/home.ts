import { counted, dotted } from '../format.ts';

export const homeMessages = {
  title: '3D and robotics assets',
  amounts: (assets: number | undefined, libraries: number, updated: string | undefined) =>
    dotted(
      assets !== undefined && counted(assets, 'asset', 'assets'),
      counted(libraries, 'library', 'libraries'),
      updated && `updated ${updated}`,
    ),
  empty: 'There are no libraries yet',
  searchAll: 'Search all libraries',
  which: 'Libraries shown',
  sets: { all: 'All', mine: 'Mine', favourites: 'Favourites' },
  orders: { updated: 'last update', name: 'name', downloads: 'downloads', used: 'usage' },
  noneMine: 'You have no libraries yet',
  noneMineDetail: 'Libraries of your namespaces appear here.',
  noneFavourite: 'You have no favourites yet',
  noneFavouriteDetail: 'Mark a library as a favourite on its page. Nobody else sees your favourites.',
  named: 'Libraries and namespaces',
  namespace: 'namespace',
} as const;
