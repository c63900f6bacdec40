import { messages } from '../messages.ts';
import { countSurface, ObjectFactory } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { boxesOf } from '../stage/stage.ts';
import type { Viewer } from '../viewer.ts';
import { sizeIn, withUpAxis } from './axes.ts';
import { startModelClient } from './model-client.ts';

/** Surfaces and points without joints: OBJ with its materials, STL, PLY, COLLADA. */
export const viewer: Viewer = {
  async open(asset) {
    const worker = startModelClient(asset);
    const [stage, { scene, frame, omissions }] = await Promise.all([
      asset.stage(),
      worker.call({ do: 'mesh', asset: worker.asset }).finally(() => worker.close()),
    ]);
    const factory = new ObjectFactory(stage.renderer);
    for (const object of factory.staticObjects(scene.instances)) stage.root.add(object);
    for (const lines of scene.lines ?? []) stage.root.add(factory.lines(lines));
    stage.orientModel(frame);
    if (scene.points.length > 0) {
      const clouds = scene.points.map((cloud) => factory.points(cloud, 1));
      stage.root.add(...clouds);
      const size = Math.max(...boxesOf(stage.root).map((box) => box.min.distanceTo(box.max)));
      for (const { material } of clouds) Object.assign(material, { size: size / 220 });
    }
    stage.frameModel();
    const points = scene.points.reduce((sum, { positions }) => sum + positions.length / 3, 0);
    return {
      statistics: {
        ...(points > 0 ? { points } : countSurface(stage.root)),
        size: sizeIn(stage.size, scene.up),
        up: scene.up,
      },
      omitted: omissionSentences(omissions),
      controls: {
        choices: [
          {
            label: messages.upAxis,
            options: [messages.upAxisOption('y'), messages.upAxisOption('z')],
            chosen: scene.up === 'y' ? 0 : 1,
            choose: (option) => {
              stage.orientModel(withUpAxis(frame, scene.up, option === 0 ? 'y' : 'z'));
              stage.frameModel();
            },
          },
        ],
      },
    };
  },
};
