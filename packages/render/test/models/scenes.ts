import type { LoadContext } from '../../../formats/src/context.ts';
import type { Scene } from '../../../formats/src/model/scene.ts';
import { readModel } from '../../../formats/src/read.ts';

/** What is drawn of a robot in URDF. */
export const loadUrdf = (entry: string, context: LoadContext) => sceneOf('urdf', entry, context);

/** What is drawn of a model or a world in SDFormat. */
export const loadSdf = (entry: string, context: LoadContext) => sceneOf('sdf', entry, context);

async function sceneOf(kind: string, entry: string, context: LoadContext): Promise<Scene> {
  const loaded = await readModel({ kind, entry }, context);
  if (!('scene' in loaded)) throw new Error(`${entry} was not read as a scene`);
  return loaded.scene;
}
