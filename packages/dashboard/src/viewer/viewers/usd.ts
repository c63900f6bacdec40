import { NothingVisible, type VariantSet, whyNothing } from '@bindery/render/models';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { disposeOf } from '../stage/dispose.ts';
import type { Viewer, ViewerContent } from '../viewer.ts';
import { sizeIn } from './axes.ts';
import { showScene } from './mesh.ts';
import { startModelClient } from './model-client.ts';
import { showRobot } from './robot.ts';

/** USD as text, crate or package: scenes with the variants that they offer, and robots of UsdPhysics. */
export const viewer: Viewer = {
  async open(asset): Promise<ViewerContent> {
    const chosen: Record<string, Record<string, string>> = {};
    const load = (role?: 'collision') => {
      const worker = startModelClient(asset);
      return worker
        .call({ do: 'usd', asset: worker.asset, variants: chosen, ...(role && { role }) })
        .finally(() => worker.close());
    };
    const [stage, loaded] = await Promise.all([asset.stage(), load()]);
    if ('robot' in loaded) {
      return showRobot(stage, loaded, async () => {
        const collision = await load('collision');
        return 'robot' in collision ? collision.robot : loaded.robot;
      });
    }
    const { scene, omissions } = loaded;
    if (scene.instances.length + scene.points.length + (scene.lines?.length ?? 0) === 0)
      throw new NothingVisible(whyNothing(omissions) ?? 'nothing visible to show');
    let { counted } = showScene(stage, scene, loaded.frame);
    stage.frameModel();
    let [omitted, last] = [omissionSentences(omissions), 0];
    const show = async () => {
      const call = ++last;
      const next = await load();
      if (call !== last || !('scene' in next)) return;
      for (const object of [...stage.root.children]) disposeOf(object);
      stage.root.clear();
      ({ counted } = showScene(stage, next.scene, next.frame));
      omitted = omissionSentences(next.omissions);
      stage.frameModel();
    };
    const choiceOf = ({ prim, set, choices, selected }: VariantSet): Choice => {
      const isSelected = choices.includes(selected);
      const options = isSelected ? choices : [messages.none, ...choices];
      const choose = (option: number) => {
        chosen[prim] = { ...chosen[prim], [set]: isSelected || option > 0 ? (options[option] ?? '') : '' };
        void show();
      };
      const label = loaded.variants.some((other) => other.set === set && other.prim !== prim)
        ? `${prim.slice(prim.lastIndexOf('/') + 1)} ${set}`
        : set;
      return new Choice(label, options, choose, Math.max(0, options.indexOf(selected)));
    };
    return {
      get statistics(): ViewerStatistics {
        return { ...counted(), size: sizeIn(stage.size, scene.up), unit: 'm', up: scene.up };
      },
      get omitted() {
        return omitted;
      },
      hasSurfaces: true,
      metres: 1,
      controls: { choices: loaded.variants.map(choiceOf) },
    };
  },
};
