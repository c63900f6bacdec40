import type { Matrix4, Scene } from '@bindery/render/models';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import { countSurface, ObjectFactory } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { boxesOf, type Stage } from '../stage/stage.ts';
import type { Viewer } from '../viewer.ts';
import { sizeIn, withUpAxis } from './axes.ts';
import { startModelClient } from './model-client.ts';

/** Surfaces and points without joints: OBJ with its materials, STL, PLY, COLLADA, OFF, PCD, XYZ and PTS. */
export const viewer: Viewer = {
  async open(asset) {
    const worker = startModelClient(asset);
    const [stage, { scene, frame, omissions }] = await Promise.all([
      asset.stage(),
      worker.call({ do: 'mesh', asset: worker.asset }).finally(() => worker.close()),
    ]);
    const counted = showScene(stage, scene, frame);
    stage.frameModel();
    let up = scene.up;
    const upAxis = new Choice(
      messages.upAxis,
      UP_AXES.map(messages.upAxisOption),
      (option) => {
        up = UP_AXES[option] ?? scene.up;
        stage.orientModel(withUpAxis(frame, scene.up, up));
        stage.frameModel();
      },
      UP_AXES.indexOf(scene.up),
    );
    // These formats do not say what a length of 1 is.
    const unit = new Choice(messages.unit, [messages.unknownUnit, ...UNITS.map(([name]) => name)], () => {});
    const metres = () => UNITS[unit.chosen - 1]?.[1];
    return {
      get metres() {
        return metres();
      },
      get statistics(): ViewerStatistics {
        const scale = metres() ?? 1;
        const [x, y, z] = sizeIn(stage.size, up);
        return {
          ...counted(),
          size: [x * scale, y * scale, z * scale],
          ...(metres() !== undefined && { unit: 'm' }),
          up,
        };
      },
      omitted: omissionSentences(omissions),
      hasSurfaces: true,
      controls: { choices: [upAxis, unit] },
    };
  },
};

/** Puts a scene on the stage; returns what counts its parts. */
export function showScene(
  stage: Stage,
  scene: Scene,
  frame: Matrix4,
): () => Pick<ViewerStatistics, 'points' | 'triangles' | 'vertices'> {
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
  const points = scene.points.reduce((sum, { positions }) => sum + positions.length / 3, 0);
  return () => (points > 0 && scene.instances.length === 0 ? { points } : countSurface(stage.root));
}

const UP_AXES = ['y', 'z'] as const;
/** With their length in metres. */
const UNITS = [
  ['mm', 0.001],
  ['cm', 0.01],
  ['m', 1],
  ['in', 0.0254],
] as const;
