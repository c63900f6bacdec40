import type { Catalog } from '../catalog.ts';
import type { AnyTool } from '../tool.ts';
import { listBindrs } from './bindrs.ts';
import { inspectAsset } from './inspect.ts';
import { listLibraries } from './libraries.ts';
import { notePlaces } from './note-places.ts';
import { readTextFile } from './read-file.ts';
import { searchAssets } from './search.ts';

/** The tools that read a service; both transports have them. */
export function catalogTools(catalog: Catalog): AnyTool[] {
  return [
    searchAssets(catalog),
    inspectAsset(catalog),
    readTextFile(catalog),
    listLibraries(catalog),
    notePlaces(catalog),
    listBindrs(catalog),
  ];
}
