import type { Vector3 } from '@bindery/render/models';
import * as THREE from 'three';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import { ModelOnStage } from '../scene/mujoco-model.ts';
import { countSurface } from '../scene/objects.ts';
import { omissionSentences } from '../scene/omissions.ts';
import type { Toggle, Viewer } from '../viewer.ts';
import { WorkerClient } from '../workers/client.ts';
import type { MujocoAnswers, MujocoCall, MujocoChange } from '../workers/mujoco-worker.ts';
import MujocoWorker from '../workers/mujoco-worker.ts?worker&inline';
import { sizeOf } from './axes.ts';
import { mujocoModule } from './mujoco-module.ts';

/** What a simulation catches up with at most, in seconds. */
const LONGEST = 0.05;

/** MuJoCo models, compiled, posed and simulated by MuJoCo itself in a worker. */
export const viewer: Viewer = {
  async open({ entry, source, limits, readCode, stage: startStage }) {
    const worker = new WorkerClient<MujocoCall, MujocoAnswers>(
      new MujocoWorker({ name: 'mujoco' }),
      source,
      limits.seconds,
    );
    try {
      const asset = { entry, sizes: source.sizes, limits };
      const [stage, model] = await Promise.all([
        startStage(),
        mujocoModule(readCode).then((module) => worker.call({ do: 'open', asset, module })),
      ]);
      const shown = new ModelOnStage(stage, model);
      const listeners = new Set<(values: ArrayLike<number>) => void>();
      let { qpos } = model;
      const jointValues = () => model.joints.map(({ address }) => qpos[address] ?? 0);
      const { floating } = model;
      const placeIn = (values: ArrayLike<number>) =>
        new THREE.Vector3(...Array.from(values).slice(floating, (floating ?? 0) + 3));
      // A view that somebody was sent has a camera of its own, and what is dragged would run away from the pointer.
      let isFollowing = true;
      const change = async (call: MujocoChange): Promise<void> => {
        const pose = await worker.call(call);
        if (pose === undefined) return;
        if (floating !== undefined && isFollowing) stage.follow(placeIn(pose.qpos).sub(placeIn(qpos)));
        qpos = pose.qpos;
        shown.pose(pose);
        for (const listener of listeners) listener(jointValues());
      };

      const shapes = (which: 'collision' | 'scenery', label: string): Toggle => ({
        label,
        isOn: false,
        set: async (isOn) => {
          if (!shown.has(which)) shown.add(which, await worker.call({ do: 'shapes', which }));
          shown.show(which, isOn);
        },
      });
      const scenery = shapes('scenery', messages.scenery);
      const contacts: Toggle = {
        label: messages.contacts,
        isOn: false,
        set: (isOn) => change({ do: 'contacts', isOn }),
      };
      const keyframes = new Choice(
        messages.keyframes,
        model.keyframes,
        (keyframe) => void change({ do: 'keyframe', keyframe }),
      );
      let [speed, owed, isAsked, isPlaying] = [1, 0, false, false];
      let pause: () => unknown = () => {};
      // The next pose is asked for with a frame, once the last one is there: none wait where frames take long.
      const ask = (call: MujocoChange): boolean => {
        if (isAsked) return false;
        isAsked = true;
        const done = () => {
          isAsked = false;
        };
        change(call).then(done, done);
        return true;
      };
      let to: Vector3 | undefined;
      const advance = (seconds: number) => {
        owed = Math.min(owed + seconds, LONGEST);
        if (ask({ do: 'advance', seconds: speed * owed, to })) owed = 0;
      };
      const moving = model.bodies.filter(({ isFixed }) => !isFixed);
      const heaviest = moving.toSorted((a, b) => (b.mass ?? 0) - (a.mass ?? 0))[0];
      let marked = heaviest;
      /** As fast as the model would be after it fell by an eighth of its size. */
      const push = () => {
        const ahead = stage.camera.getWorldDirection(new THREE.Vector3()).setY(0);
        const velocity = ahead
          .setLength(Math.sqrt(9.81 * stage.size.length()) / 2)
          .applyQuaternion(stage.root.getWorldQuaternion(new THREE.Quaternion()).invert())
          .toArray();
        if (marked) void change({ do: 'push', body: marked.body, velocity });
      };
      return {
        statistics: { ...countSurface(stage.root), ...model.statistics, size: sizeOf(stage.measureSize()) },
        omitted: omissionSentences(model.omissions),
        controls: {
          joints: {
            list: model.joints,
            set: (joint, value) => void change({ do: 'joint', joint, value }),
            onMove: (listener) => {
              listeners.add(listener);
              listener(jointValues());
            },
          },
          choices: model.keyframes.length > 0 ? [keyframes] : [],
          playback: {
            label: messages.simulation,
            play: (isOn) => {
              pause();
              isPlaying = isOn;
              if (!isOn) return;
              scenery.press?.(true);
              pause = stage.animate(advance);
            },
            step: () => void change({ do: 'step' }),
            setSpeed: (chosen) => {
              speed = chosen;
            },
            reset: () => void change({ do: 'keyframe' }),
            ...(heaviest && { push }),
          },
          toggles: [shapes('collision', messages.collision), contacts, scenery],
          bodies: {
            list: model.bodies,
            mark: (index) => {
              const body = model.bodies[index];
              marked = body === undefined || body.isFixed ? heaviest : body;
              stage.mark(shown.shapesOf(body?.body ?? -1));
            },
          },
          hold: (object, point) => {
            const part = shown.partOf(object);
            const { geom } = part;
            if (geom === undefined || !moving.some(({ body }) => body === part.body)) return undefined;
            void change({ do: 'hold', geom, at: object.worldToLocal(point.clone()).toArray() });
            isFollowing = false;
            return {
              drag: (place) => {
                to = stage.root.worldToLocal(place.clone()).toArray();
                if (!isPlaying) ask({ do: 'reach', to });
              },
              release: () => {
                to = undefined;
                isFollowing = true;
              },
            };
          },
          incline: (degrees) => {
            stage.incline(THREE.MathUtils.degToRad(degrees));
            const { root } = stage;
            const gravity = new THREE.Vector3(...model.gravity)
              .applyQuaternion(root.quaternion)
              .applyQuaternion(root.getWorldQuaternion(new THREE.Quaternion()).invert());
            void change({ do: 'gravity', gravity: gravity.toArray() });
          },
        },
        pose: {
          read: () => qpos,
          write: async (values) => {
            isFollowing = false;
            await change({ do: 'pose', qpos: values });
            isFollowing = true;
          },
        },
        hasSurfaces: true,
        metres: 1,
        close: () => worker.close(),
      };
    } catch (error) {
      worker.close();
      throw error;
    }
  },
};
