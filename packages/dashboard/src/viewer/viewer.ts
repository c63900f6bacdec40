import type { AssetFiles, ModelParameter } from '@bindery/render/models';
import type * as THREE from 'three';
import type { ViewerStatistics } from '../viewer-protocol.ts';
import type { Choice } from './choice.ts';
import type { ReadCode } from './code.ts';
import type { ViewerFiles } from './files.ts';
import type { ViewerLimits } from './limits.ts';
import type { Stage } from './stage/stage.ts';

/** Shows assets of one kind. Each is a file in `viewers/`, listed in `index.ts` and, by format, in `select-viewer.ts`. */
export interface Viewer {
  /** @throws Unrenderable with the reason why it cannot be shown; TooLarge if larger limits might allow it. */
  open(asset: ViewerInput): Promise<ViewerContent>;
}

/** The input of a viewer. */
export interface ViewerInput {
  readonly kind: string;
  /** The file to open. */
  readonly entry: string;
  /** All files of the asset, unmodified. */
  readonly source: ViewerFiles;
  /** The same within the limit on bytes, with references between them. */
  readonly files: AssetFiles;
  readonly limits: ViewerLimits;
  /** Of a robot in macros, if some were chosen. */
  readonly parameters?: readonly ModelParameter[] | undefined;
  /** Opens the asset again with other parameters. */
  reopen(parameters: readonly ModelParameter[]): void;
  /** For `codeFile`. */
  readonly readCode: ReadCode;
  /** Returns the 3D view. Only viewers of models call it, because it loads three.js. */
  stage(): Promise<Stage>;
  /** Where other content is placed. */
  readonly page: HTMLElement;
}

/** What a viewer shows, and its controls. */
export interface ViewerContent {
  /** As far as choices change what is measured, of what is chosen. */
  readonly statistics: ViewerStatistics;
  /** Sentences about the parts of the asset that are not shown. */
  readonly omitted: readonly string[];
  readonly controls?: Controls;
  readonly pose?: Pose;
  /** Metres in a unit of the stage, if that is known. */
  readonly metres?: number | undefined;
  /** Whether the model has surfaces, which can be measured and cut open. */
  readonly hasSurfaces?: boolean;
  /** Draws what the first frame left out, after that has been shown; resolves when it is drawn. */
  refine?(): Promise<void>;
  /** Frees what the frame does not free itself. */
  close?(): void;
}

/** All that moves in a model, as numbers: joints in radians and metres, or the time of an animation in seconds. */
export interface Pose {
  read(): ArrayLike<number>;
  /** Resolves when the pose is on the stage. */
  write(values: readonly number[]): Promise<unknown>;
}

export interface Controls {
  readonly joints?: Joints;
  readonly choices?: readonly Choice[];
  readonly playback?: Playback;
  readonly toggles?: readonly Toggle[];
  readonly bodies?: Bodies;
  /** Takes hold of a point of an object on the stage, in the world; undefined if it cannot be moved. */
  hold?(object: THREE.Object3D, point: THREE.Vector3): Held | undefined;
  /** Inclines the ground by an angle in degrees; the right side, as seen from the front, rises if it is positive. */
  incline?(angle: number): void;
}

/** What is held, until it is released. */
export interface Held {
  /** Moves it towards a place in the world; called with each frame. */
  drag(to: THREE.Vector3): void;
  release(): void;
}

export interface Joints {
  readonly list: readonly JointControl[];
  /** In radians or metres. */
  set(joint: number, value: number): void;
  /** Calls the listener with the values of all joints: at once, and whenever something else moves them. */
  onMove(listener: (values: ArrayLike<number>) => void): void;
}

export interface JointControl {
  readonly name: string;
  readonly unit: 'rad' | 'm';
  readonly min: number;
  readonly max: number;
  readonly value: number;
}

/** A simulation or an animation. */
export interface Playback {
  readonly label: string;
  play(isOn: boolean): void;
  /** 1 is as fast as in reality. */
  setSpeed(speed: number): void;
  reset(): void;
  /** Goes one step further while it stands still. */
  step?(): void;
  /** Gives the body that is marked, or else the heaviest one, a shove away from the camera. */
  push?(): void;
  readonly timeline?: Timeline;
}

export interface Timeline {
  /** In seconds; of the animation that is chosen. */
  readonly duration: number;
  readonly time: number;
  seek(time: number): void;
  /** Calls the listener whenever the time has changed. */
  onTime(listener: () => void): void;
}

/** The bodies of a model, each after the one that carries it. */
export interface Bodies {
  readonly list: readonly Body[];
  /** Marks a body, and nothing for −1. */
  mark(body: number): void;
}

export interface Body {
  readonly name: string;
  /** The number of bodies that carry it. */
  readonly depth: number;
  /** In kilograms. */
  readonly mass?: number;
}

export interface Toggle {
  readonly label: string;
  readonly isOn: boolean;
  /** Rejects if it is not available. */
  set(isOn: boolean): void | Promise<void>;
  /** Presses its button, or releases it; set by the button. */
  press?: (isOn: boolean) => void;
}
