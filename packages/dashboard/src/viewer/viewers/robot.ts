import { type JointedRobot, type RobotParameter, Unrenderable, whyNothing } from '@bindery/render/models';
import type * as THREE from 'three';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import { countSurface, ObjectFactory } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { RobotRig } from '../scene/robot.ts';
import type { Stage } from '../stage/stage.ts';
import type { Toggle, ViewerContent, ViewerInput } from '../viewer.ts';
import type { LoadedRobot } from '../workers/models-worker.ts';
import { sizeIn } from './axes.ts';
import { startModelClient } from './model-client.ts';

/** Opens a robot of links and joints in either format. */
export async function openRobot(asset: ViewerInput, format: 'urdf' | 'sdf'): Promise<ViewerContent> {
  const given = asset.parameters && new Map(asset.parameters.map(({ name, value }) => [name, value]));
  const load = (role?: 'collision') => {
    const worker = startModelClient(asset);
    return worker
      .call({ do: 'robot', asset: worker.asset, format, ...(role && { role }), ...(given && { given }) })
      .finally(() => worker.close());
  };
  const [stage, loaded] = await Promise.all([asset.stage(), load()]);
  const content = showRobot(stage, loaded, async () => (await load('collision')).robot);
  const choices = parameterChoices(asset, loaded.robot.parameters ?? []);
  return { ...content, controls: { ...content.controls, choices } };
}

/** Choices of what a robot in macros takes; each of them opens it again. What was known before stays a choice. */
function parameterChoices(asset: ViewerInput, found: readonly RobotParameter[]): Choice[] {
  const known = asset.parameters ?? [];
  const parameters = [...known, ...found.filter(({ name }) => !known.some((one) => one.name === name))];
  return parameters.map(({ name, value, values }, index) => {
    const choose = (option: number) =>
      asset.reopen(parameters.with(index, { name, value: values[option] ?? value, values }));
    return new Choice(name, values, choose, Math.max(0, values.indexOf(value)));
  });
}

/** Puts a robot on the stage. Its collision shapes are loaded on first use: there are often as many as visual ones. */
export function showRobot(
  stage: Stage,
  { robot, frame, omissions }: LoadedRobot,
  loadCollision: () => Promise<JointedRobot>,
): ViewerContent {
  if (robot.shapes.length === 0) throw new Unrenderable(whyNothing(omissions) ?? 'nothing visible to show');
  const still = robot.joints.filter(({ type }) => type === 'other').length;
  const factory = new ObjectFactory(stage.renderer);
  const rig = new RobotRig(robot);
  const visuals = rig.attachShapes(robot.shapes, factory);
  stage.root.add(rig.object);
  stage.orientModel(frame);
  stage.frameModel();

  const collision: Toggle = {
    label: messages.collision,
    isOn: false,
    set: async (isOn) => {
      shapes ??= loadCollision().then((found) => rig.attachShapes(found.shapes, factory));
      const collisions = await shapes;
      for (const shape of collisions) shape.visible = isOn;
      for (const shape of visuals) shape.visible = !isOn || collisions.length === 0;
      stage.applyWireframe();
      stage.invalidate();
    },
  };
  let shapes: Promise<THREE.Object3D[]> | undefined;
  const listeners = new Set<(values: ArrayLike<number>) => void>();

  return {
    statistics: {
      ...countSurface(stage.root),
      bodies: robot.links.length,
      joints: rig.controls.length,
      degreesOfFreedom: rig.controls.length,
      ...(robot.mass > 0 && { mass: robot.mass }),
      size: sizeIn(stage.size, 'z'),
      unit: 'm',
      up: 'z',
    },
    omitted: [...omissionSentences(omissions), ...(still > 0 ? [messages.stillJoints(still)] : [])],
    controls: {
      joints: {
        list: rig.controls,
        set: (joint, value) => {
          rig.set(joint, value);
          stage.invalidate();
        },
        onMove: (listener) => {
          listeners.add(listener);
          listener(rig.values);
        },
      },
      toggles: [collision],
      bodies: { list: rig.bodies, mark: (body) => stage.mark(rig.shapesOf(body)) },
    },
    pose: {
      read: () => rig.values,
      write: async (values) => {
        for (const [joint, value] of values.entries()) rig.set(joint, value);
        for (const listener of listeners) listener(values);
        stage.invalidate();
      },
    },
    hasSurfaces: true,
    metres: 1,
  };
}
