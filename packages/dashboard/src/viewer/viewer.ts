import type { AssetFiles } from '@bindery/render/models';
import type { ViewerStatistics } from '../viewer-protocol.ts';
import type { ViewerLimits } from './budgets.ts';
import type { ReadCode } from './code.ts';
import type { ViewerFiles } from './files.ts';
import type { Stage } from './stage/stage.ts';

/** Shows assets of one kind. Each is one file of `viewers/`, named in `viewers/index.ts`, and in `choice.ts` what it opens. */
export interface Viewer {
  /** @throws Unrenderable with the reason why it cannot be shown; TooLarge where larger limits might do. */
  open(asset: OpenAsset): Promise<Shown>;
}

/** What a viewer is given. */
export interface OpenAsset {
  readonly kind: string;
  /** The file to open. */
  readonly entry: string;
  /** All files of the asset as they are. */
  readonly source: ViewerFiles;
  /** The same within the limit on bytes, with references between them; XML with a document type is refused. */
  readonly files: AssetFiles;
  readonly limits: ViewerLimits;
  /** For `codeFile`. */
  readonly readCode: ReadCode;
  /** Where models stand. Asked for only by viewers that have one: it brings three. */
  stage(): Promise<Stage>;
  /** Where what is no model is put. */
  readonly page: HTMLElement;
}

/** What a viewer shows, and what a person can do with it. */
export interface Shown {
  readonly statistics: ViewerStatistics;
  /** Sentences about what of the asset is not shown. */
  readonly omitted: readonly string[];
  readonly controls?: Controls;
  /** Draws what the first picture left out, once that is seen; resolves when it is there. */
  refine?(): Promise<void>;
  /** Frees what the frame does not free by itself. */
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
  /** Calls back with the values of all joints whenever they moved by themselves. */
  onMove?(listener: (values: ArrayLike<number>) => void): void;
}

export interface JointControl {
  readonly name: string;
  readonly unit: 'rad' | 'm';
  readonly min: number;
  readonly max: number;
  readonly value: number;
}

/** One of several: keyframes, animations, variants, axes. */
export interface Choice {
  readonly label: string;
  readonly options: readonly string[];
  /** −1 where none is chosen. */
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
  /** Rejects where it cannot be had. */
  set(isOn: boolean): void | Promise<void>;
}
