import type { Catalog } from '../catalog.ts';
import type { AnyTool } from '../tool.ts';
import type { WorkingCopies } from '../working-copies.ts';
import { whoami } from './account.ts';
import { listBindrs } from './bindrs.ts';
import { certifyAsset } from './certify.ts';
import { listChanges } from './changes.ts';
import { checkFolder } from './check-folder.ts';
import { composeScene } from './compose-scene.ts';
import { inspectAsset } from './inspect.ts';
import { createRelease, listLibraries, listReleases } from './libraries.ts';
import { planPush } from './plan-push.ts';
import { addToProject, checkProjectFolder, syncProjectFolder } from './project-folder.ts';
import { createNote, listNotes, listProjects, notePlaces } from './projects.ts';
import { pullAssets } from './pull.ts';
import { pushFolder } from './push.ts';
import { readTextFile } from './read-file.ts';
import { searchAssets } from './search.ts';
import { findSimilar } from './similar.ts';

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
