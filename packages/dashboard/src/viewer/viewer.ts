import type { AssetFiles } from '@bindery/render/models';
import type { ViewerStatistics } from '../viewer-protocol.ts';
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
  /** For `codeFile`. */
  readonly readCode: ReadCode;
  /** Returns the 3D view. Only viewers of models call it, because it loads three.js. */
  stage(): Promise<Stage>;
  /** Where other content is placed. */
  readonly page: HTMLElement;
}

/** What a viewer shows, and its controls. */
export interface ViewerContent {
  readonly statistics: ViewerStatistics;
  /** Sentences about the parts of the asset that are not shown. */
  readonly omitted: readonly string[];
  readonly controls?: Controls;
  /** Draws what the first frame left out, after that has been shown; resolves when it is drawn. */
  refine?(): Promise<void>;
  /** Frees what the frame does not free itself. */
  close?(): void;
}

export interface Controls {
  readonly joints?: Joints;
  readonly choices?: readonly Choice[];
  readonly playback?: Playback;
  readonly toggles?: readonly Toggle[];
}

export interface Joints {
  readonly list: readonly JointControl[];
  /** In radians or metres. */
  set(joint: number, value: number): void;
  /** Calls the listener with the values of all joints whenever the simulation moves them. */
  onMove?(listener: (values: ArrayLike<number>) => void): void;
}

export interface JointControl {
  readonly name: string;
  readonly unit: 'rad' | 'm';
  readonly min: number;
  readonly max: number;
  readonly value: number;
}

/** A choice among keyframes, animations, variants or axes. */
export interface Choice {
  readonly label: string;
  readonly options: readonly string[];
  /** −1 if none is chosen. */
  readonly chosen: number;
  choose(option: number): void;
}

export interface Playback {
  readonly label: string;
  readonly isPlaying: boolean;
  play(isOn: boolean): void;
  reset?(): void;
}

export interface Toggle {
  readonly label: string;
  readonly isOn: boolean;
  /** Rejects if it is not available. */
  set(isOn: boolean): void | Promise<void>;
}
