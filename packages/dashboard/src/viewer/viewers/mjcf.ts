import { messages } from '../messages.ts';
import { ModelOnStage } from '../scene/mujoco-model.ts';
import { countSurface } from '../scene/objects.ts';
import type { Choice, Toggle, Viewer } from '../viewer.ts';
import { WorkerClient } from '../workers/client.ts';
import type { MujocoAnswers, MujocoCall, Pose } from '../workers/mujoco-worker.ts';
import MujocoWorker from '../workers/mujoco-worker.ts?worker&inline';
import { sizeIn } from './axes.ts';
import { mujocoModule } from './mujoco-module.ts';

/** A model of six million bodies takes longer, which is not worth waiting for. */
const TIMEOUT_SECONDS = 20;

/** MuJoCo models, compiled, posed and simulated by MuJoCo itself in a worker. */
export const viewer: Viewer = {
  async open({ entry, source, limits, readCode, stage: startStage }) {
    const worker = new WorkerClient<MujocoCall, MujocoAnswers, Pose>(
      new MujocoWorker({ name: 'mujoco' }),
      source,
      TIMEOUT_SECONDS,
    );
    try {
      const asset = { entry, sizes: source.sizes, limits };
      const [stage, model] = await Promise.all([
        startStage(),
        mujocoModule(readCode).then((module) => worker.call({ do: 'open', asset, module })),
      ]);
      const shown = new ModelOnStage(stage, model);
      const listeners = new Set<(values: ArrayLike<number>) => void>();
      worker.onEvent = (pose) => {
        shown.pose(pose);
        for (const listener of listeners) listener(pose.joints);
      };

      const shapes = (which: 'collision' | 'scenery', label: string): Toggle => ({
        label,
        isOn: false,
        set: async (isOn) => {
          if (!shown.has(which)) shown.add(which, await worker.call({ do: 'shapes', which }));
          shown.show(which, isOn);
        },
      });
      const contacts: Toggle = {
        label: messages.contacts,
        isOn: false,
        set: (isOn) => worker.call({ do: 'contacts', isOn }),
      };
      const keyframes: Choice = {
        label: messages.keyframes,
        options: model.keyframes,
        chosen: 0,
        choose: (keyframe) => void worker.call({ do: 'keyframe', keyframe }),
      };
      return {
        statistics: { ...countSurface(stage.root), ...model.statistics, size: sizeIn(stage.size, 'z') },
        omitted: [],
        controls: {
          joints: {
            list: model.joints,
            set: (joint, value) => void worker.call({ do: 'joint', joint, value }),
            onMove: (listener) => listeners.add(listener),
          },
          choices: model.keyframes.length > 0 ? [keyframes] : [],
          playback: {
            label: messages.simulation,
            isPlaying: false,
            play: (isOn) => void worker.call({ do: 'play', isOn }),
            reset: () => void worker.call({ do: 'keyframe', keyframe: -1 }),
          },
          toggles: [shapes('collision', messages.collision), contacts, shapes('scenery', messages.scenery)],
        },
        close: () => worker.close(),
      };
    } catch (error) {
      worker.close();
      throw error;
    }
  },
};
