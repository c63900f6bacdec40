import type { Scene } from '@bindery/render/models';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { Choice } from '../choice.ts';
import { GltfAnimation } from '../gltf/animation.ts';
import { messages } from '../messages.ts';
import { clipsOf, movingObjects } from '../scene/motion.ts';
import { countSurface, ObjectFactory } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { disposeOf } from '../stage/dispose.ts';
import { boxesOf, type Stage } from '../stage/stage.ts';
import type { ViewerContent } from '../viewer.ts';
import type { LoadedModel } from '../workers/models-worker.ts';
import { sizeOf, withUpAxis } from './axes.ts';

/** A scene, and what else was read with it. */
export type LoadedScene = Pick<LoadedModel, 'frame' | 'omissions' | 'isStill'> & { readonly scene: Scene };

/**
 * Surfaces and points without joints, some with animations. The scene is another one whenever `choices` change it, which
 * they say by calling `show`.
 */
export function showScene(
  stage: Stage,
  first: LoadedScene,
  choicesOf: (show: (next: LoadedScene) => void) => readonly Choice[],
): ViewerContent {
  let shown = first;
  let { animation, counted } = drawn(stage, first);
  stage.frameModel();
  let up = first.scene.up;
  const orient = () => stage.orientModel(withUpAxis(shown.frame, shown.scene.up, up));
  const upAxis = new Choice(
    messages.upAxis,
    UP_AXES.map(messages.upAxisOption),
    (option) => {
      up = UP_AXES[option] ?? first.scene.up;
      orient();
      stage.frameModel();
    },
    UP_AXES.indexOf(up),
  );
  const unit = new Choice(
    messages.unit,
    [messages.unknownUnit, ...UNITS.map(([name]) => name)],
    () => {},
    first.scene.unit === 'm' ? UNITS.findIndex(([name]) => name === 'm') + 1 : 0,
  );
  const metres = () => UNITS[unit.chosen - 1]?.[1];
  const others = choicesOf((next) => {
    for (const object of [...stage.root.children]) disposeOf(object);
    stage.root.clear();
    shown = next;
    ({ animation, counted } = drawn(stage, next));
    orient();
    stage.frameModel();
  });
  return {
    get metres() {
      return metres();
    },
    get statistics(): ViewerStatistics {
      const scale = metres() ?? 1;
      return {
        ...(shown.scene.motion && { animations: shown.scene.motion.clips.length }),
        ...counted(),
        size: sizeOf(stage.measureSize().multiplyScalar(scale)),
        ...(metres() !== undefined && { unit: 'm' }),
        up,
      };
    },
    get omitted() {
      return [...omissionSentences(shown.omissions), ...(shown.isStill ? [messages.still] : [])];
    },
    hasSurfaces: true,
    controls: {
      choices: [upAxis, unit, animation?.choice, ...others].filter((choice) => choice !== undefined),
      ...(animation && { playback: animation }),
    },
    ...(animation && { pose: animation }),
  };
}

/** Puts a scene on the stage; returns what plays its animations, and what counts its parts. */
function drawn(
  stage: Stage,
  { scene, frame }: LoadedScene,
): { animation: GltfAnimation | undefined; counted: () => Counts } {
  const factory = new ObjectFactory(stage.renderer);
  const objects = scene.motion
    ? movingObjects(scene.instances, scene.motion, factory)
    : factory.staticObjects(scene.instances);
  for (const object of objects) stage.root.add(object);
  const animation = scene.motion && GltfAnimation.of(clipsOf(scene.motion), stage);
  for (const lines of scene.lines ?? []) stage.root.add(factory.lines(lines));
  stage.orientModel(frame);
  if (scene.points.length > 0) {
    const clouds = scene.points.map((cloud) => factory.points(cloud, 1));
    stage.root.add(...clouds);
    const size = Math.max(...boxesOf(stage.root).map((box) => box.min.distanceTo(box.max)));
    for (const { material } of clouds) Object.assign(material, { size: size / 220 });
  }
  const points = scene.points.reduce((sum, { positions }) => sum + positions.length / 3, 0);
  return {
    animation,
    counted: () => (points > 0 && scene.instances.length === 0 ? { points } : countSurface(stage.root)),
  };
}

type Counts = Pick<ViewerStatistics, 'points' | 'triangles' | 'vertices'>;

const UP_AXES = ['y', 'z'] as const;
/** With their length in metres. */
const UNITS = [
  ['mm', 0.001],
  ['cm', 0.01],
  ['m', 1],
  ['in', 0.0254],
] as const;
