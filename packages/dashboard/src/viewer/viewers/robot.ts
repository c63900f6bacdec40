import { countRobot, type Mechanism, NothingVisible, whyNothing } from '@bindery/render/models';
import type * as THREE from 'three';
import { messages } from '../messages.ts';
import { countSurface, ObjectFactory } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import { reach } from '../scene/reach.ts';
import { RobotRig } from '../scene/robot.ts';
import type { Stage } from '../stage/stage.ts';
import type { Toggle, ViewerContent } from '../viewer.ts';
import type { LoadedModel } from '../workers/models-worker.ts';
import { sizeOf } from './axes.ts';

/** Puts a robot on the stage. Its collision shapes are loaded on first use: there are often as many as visual ones. */
export function showRobot(
  stage: Stage,
  mechanism: Mechanism,
  { frame, omissions }: Pick<LoadedModel, 'frame' | 'omissions'>,
  loadCollision: () => Promise<Mechanism>,
): ViewerContent {
  const { bodies } = mechanism;
  if (bodies.every(({ shapes }) => shapes.length === 0))
    throw new NothingVisible(whyNothing(omissions) ?? 'nothing visible to show');
  const still = bodies.flatMap(({ joints }) => joints).filter(({ type }) => type === 'ball').length;
  const { mass } = countRobot(mechanism);
  const factory = new ObjectFactory(stage.renderer);
  const rig = new RobotRig(mechanism);
  const visuals = rig.attachShapes(mechanism, factory);
  stage.root.add(rig.object);
  stage.orientModel(frame);
  stage.frameModel();

  const collision: Toggle = {
    label: messages.collision,
    isOn: false,
    set: async (isOn) => {
      shapes ??= loadCollision().then((found) => rig.attachShapes(found, factory));
      const collisions = await shapes;
      for (const shape of collisions) shape.visible = isOn;
      for (const shape of visuals) shape.visible = !isOn || collisions.length === 0;
      stage.applyWireframe();
      stage.invalidate();
    },
  };
  let shapes: Promise<THREE.Object3D[]> | undefined;
  const listeners = new Set<(values: ArrayLike<number>) => void>();
  const tell = () => {
    for (const listener of listeners) listener(rig.values);
    stage.invalidate();
  };

  return {
    statistics: {
      ...countSurface(stage.root),
      bodies: bodies.length,
      joints: rig.controls.length,
      degreesOfFreedom: rig.controls.length,
      ...(mass > 0 && { mass }),
      size: sizeOf(stage.measureSize()),
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
      hold: (object, point) => {
        const held = rig.hold(object, object.worldToLocal(point.clone()));
        return (
          held && {
            drag: (to) => {
              reach(held, rig.controls, to.toArray());
              tell();
            },
            release: () => {},
          }
        );
      },
    },
    pose: {
      read: () => rig.values,
      write: async (values) => {
        for (const [joint, value] of values.entries()) rig.set(joint, value);
        tell();
      },
    },
    hasSurfaces: true,
    metres: 1,
  };
}
