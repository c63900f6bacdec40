export { cacheFolder, stateFolder } from '../tree/cache-folder.ts';
export type { AmentPrefix } from './ament-prefix.ts';
export { ASSETS_FILE, withoutUse, withUse } from './assets-file.ts';
export { LOCK_FILE } from './lock.ts';
export { type OutdatedLibrary, type OutdatedOptions, outdatedLibraries } from './outdated.ts';
export { readProject, readProjectOrFolder, writeProjectFile } from './project.ts';
export { type SyncOptions, type SyncResult, syncProject } from './sync.ts';
export { formatUse, parseUse, type Use } from './use.ts';
