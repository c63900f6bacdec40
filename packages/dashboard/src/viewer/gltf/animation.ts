import * as THREE from 'three';
import { Choice } from '../choice.ts';
import { messages } from '../messages.ts';
import type { Stage } from '../stage/stage.ts';
import type { Playback, Pose, Timeline } from '../viewer.ts';

/** In place of the time, before an animation has been played for the first time. */
const AT_REST = -1;

/** Plays the animations of a glTF file, one at a time. */
export class GltfAnimation implements Playback, Timeline, Pose {
  readonly label = messages.animation;
  readonly timeline = this;
  /** Undefined if there is only one. */
  readonly choice: Choice | undefined;
  readonly #stage: Stage;
  readonly #mixer: THREE.AnimationMixer;
  readonly #listeners = new Set<() => void>();
  #clip: THREE.AnimationClip;
  #action: THREE.AnimationAction | undefined;
  #stop: (() => void) | undefined;

  /** @returns undefined for a file without animations. */
  static of(clips: readonly THREE.AnimationClip[], stage: Stage): GltfAnimation | undefined {
    const [first] = clips;
    return first && new GltfAnimation(first, clips, stage);
  }

  private constructor(first: THREE.AnimationClip, clips: readonly THREE.AnimationClip[], stage: Stage) {
    this.#clip = first;
    this.#stage = stage;
    this.#mixer = new THREE.AnimationMixer(stage.root);
    const names = clips.map(({ name }, index) => name || String(index + 1));
    const choose = (index: number) => {
      this.#rest();
      this.#clip = clips[index] ?? first;
      this.seek(0);
    };
    this.choice = clips.length > 1 ? new Choice(messages.animation, names, choose) : undefined;
  }

  get duration(): number {
    return this.#clip.duration;
  }

  get time(): number {
    return this.#action?.time ?? 0;
  }

  play(isOn: boolean): void {
    this.#stop?.();
    this.#stop = undefined;
    if (!isOn) return;
    this.#start();
    this.#stop = this.#stage.animate((seconds) => {
      this.#mixer.update(seconds);
      this.#tell();
    });
  }

  setSpeed(speed: number): void {
    this.#mixer.timeScale = speed;
  }

  reset(): void {
    this.seek(0);
  }

  seek(time: number): void {
    this.#start().time = Math.min(Math.max(time, 0), this.duration);
    this.#mixer.update(0);
    this.#stage.invalidate();
    this.#tell();
  }

  onTime(listener: () => void): void {
    this.#listeners.add(listener);
  }

  read(): number[] {
    return [this.#action === undefined ? AT_REST : this.time];
  }

  async write([time = AT_REST]: readonly number[]): Promise<void> {
    this.#rest();
    if (time >= 0) this.seek(time);
    this.#stage.invalidate();
    this.#tell();
  }

  #start(): THREE.AnimationAction {
    this.#action ??= this.#mixer.clipAction(this.#clip).play();
    return this.#action;
  }

  #rest(): void {
    this.#mixer.stopAllAction();
    this.#action = undefined;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
