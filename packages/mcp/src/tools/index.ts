import type { Catalog } from '../catalog.ts';
import type { AnyTool } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { whoami } from './account.ts';
import { certifyAsset } from './certify.ts';
import { createNote, listBindrs, listNotes, listProjects, notePlaces } from './collaboration.ts';
import { composeScene } from './compose-scene.ts';
import { inspectAsset, readTextFile } from './inspect.ts';
import { createRelease, listChanges, listLibraries, listReleases } from './libraries.ts';
import { addToProject, checkProjectFolder, syncProjectFolder } from './project-folder.ts';
import { checkFolder, pullAssets } from './pull.ts';
import { planPush, pushFolder } from './push.ts';
import { findSimilar, searchAssets } from './search.ts';

/** The tools that need no folder; both transports have them. With `copies`, some take files too. */
export function catalogTools(catalog: Catalog, copies?: WorkingCopies): AnyTool[] {
  return [
    whoami(catalog),
    searchAssets(catalog),
    findSimilar(catalog, copies),
    inspectAsset(catalog),
    readTextFile(catalog),
    listLibraries(catalog),
    listReleases(catalog),
    listChanges(catalog),
    listProjects(catalog),
    listNotes(catalog),
    notePlaces(catalog),
    listBindrs(catalog),
    certifyAsset(catalog),
    createRelease(catalog),
    createNote(catalog),
  ];
}

/** The tools that work with folders, for a server on the machine that has them. */
export function folderTools(copies: WorkingCopies): AnyTool[] {
  return [
    pullAssets(copies),
    composeScene(copies),
    checkFolder(copies),
    addToProject(copies),
    checkProjectFolder(copies),
    syncProjectFolder(copies),
    planPush(copies),
    pushFolder(copies),
  ];
}
