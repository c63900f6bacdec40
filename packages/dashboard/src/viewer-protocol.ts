import type { AssetStatistics } from '@bindery/contract';

/**
 * The messages between the dashboard and its viewer frame. The frame is sandboxed in an origin of its own, without
 * token, cookie or network: everything it knows of an asset comes through one MessagePort, which the dashboard sends
 * when the frame posts `VIEWER_READY`. Anything the frame sends is untrusted, because it has parsed the asset.
 */

/** Posted by the frame to its parent once it is listening. */
export const VIEWER_READY = 'bindery-viewer-ready';
/** Posted by the dashboard to the frame with two ports: one for the asset, one for the frame's own code. */
export const VIEWER_PORT = 'bindery-viewer-port';

/**
 * The files of the frame's code, by name below `/app/assets/`. The app fetches them and passes them on, because a frame
 * with an opaque origin has no persistent cache.
 */
export interface ViewerCode {
  /** The script that is loaded before anything is opened. */
  readonly entry: string;
  /** Each script with its imports. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** Other files that scripts request: WebAssembly, decoders. */
  readonly files: readonly string[];
}

/** Requests a file of the frame's code. */
export interface ToCode {
  readonly request: number;
  readonly name: string;
}

export type FromCode =
  /** A script to run immediately. */
  | { readonly type: 'script'; readonly source: ArrayBuffer }
  /** All scripts of the entry have been sent. */
  | { readonly type: 'start'; readonly entry: string }
  /** The requested script and all its imports have been sent; for another file, its bytes. */
  | { readonly type: 'answer'; readonly request: number; readonly bytes?: ArrayBuffer }
  | { readonly type: 'failed'; readonly request: number; readonly message: string };

export interface ViewerFile {
  /** Relative, `/`-separated, as in the manifest. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** The asset to show. Only the files listed here can be requested. */
export interface ViewerAsset {
  /** The manifest's kind: `mjcf`, `urdf`, `mesh`, `splat`, `image` or `file`. */
  readonly kind: string;
  /** The file to open: the asset's entry, or one of its entry points. */
  readonly entry: string;
  readonly files: readonly ViewerFile[];
  /** Of a picture that is described: where in it the thing is. */
  readonly box?: Box | null;
}

/** A box in a picture that stands upright, in shares of its width and height. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export type Theme = 'light' | 'dark';

/** Statistics of what is shown, as far as the format has them. Mass in kilograms, sizes in metres if `unit` is `m`. */
export interface ViewerStatistics {
  readonly triangles?: number;
  readonly vertices?: number;
  readonly splats?: number;
  readonly points?: number;
  readonly bodies?: number;
  /** Joints that can be moved one by one. */
  readonly joints?: number;
  /** Independent movements, with those of a base that floats freely. */
  readonly degreesOfFreedom?: number;
  /** Whether its base floats freely. */
  readonly isFloating?: boolean;
  readonly mass?: number;
  /** The joints that `joints` counts, and what bodies weigh; the first of them. */
  readonly limits?: readonly JointLimits[];
  readonly masses?: readonly { readonly name: string; readonly mass: number }[];
  readonly animations?: number;
  readonly pixels?: readonly [width: number, height: number];
  /** As seen from the front. */
  readonly size?: readonly [width: number, depth: number, height: number];
  readonly unit?: 'm';
  readonly up?: 'y' | 'z';
}

/** In radians or metres. */
export interface JointLimits {
  readonly name: string;
  readonly unit: 'rad' | 'm';
  readonly min: number;
  readonly max: number;
}

/** The position of a camera and the point that it looks at: x, y, z of each, in metres if the unit is known. Y is up. */
export type CameraPlace = readonly number[];

export type ViewerState =
  | { readonly status: 'loading'; readonly bytesRead: number }
  /** `omitted`: sentences about the parts of the asset that are not shown. */
  | { readonly status: 'shown'; readonly statistics: ViewerStatistics; readonly omitted: readonly string[] }
  /** `canLoadAnyway`: the asset exceeds only the limits for opening without asking. */
  | { readonly status: 'refused'; readonly reason: string; readonly canLoadAnyway: boolean };

export type ToViewer =
  | {
      readonly type: 'open';
      readonly asset: ViewerAsset;
      readonly theme: Theme;
      readonly loadAnyway: boolean;
      /** A view of the asset, as the frame has sent it; null for the one that it opens with. */
      readonly view: string | null;
      /** What the page offers besides showing the asset. */
      readonly offers: ViewerOffers;
    }
  | { readonly type: 'theme'; readonly theme: Theme }
  | { readonly type: 'take-picture' }
  | { readonly type: 'view'; readonly view: string }
  /** Looks from where another viewer does. */
  | { readonly type: 'camera'; readonly camera: CameraPlace }
  | { readonly type: 'full-screen'; readonly isOn: boolean }
  /** Asks the frame to stop drawing, and to answer once its graphics are idle. */
  | { readonly type: 'close' }
  /** Instead of `open`: draws the asset's thumbnail and shows nothing. */
  | { readonly type: 'draw-thumbnail'; readonly asset: ViewerAsset }
  /** Instead of `open`: measures a model, or describes a picture of one for a search, and shows nothing. */
  | { readonly type: 'describe'; readonly asset: ViewerAsset };

/** What was measured of a model, with its descriptor if it shows anything; or what was seen in a picture. */
export type Description = { readonly statistics: AssetStatistics } | SeenPicture;

/** The longest side of what is shown of a picture that was described, in pixels. */
export const MAX_SHOWN_SIDE = 768;

export interface SeenPicture {
  /** The whole of it, upright. */
  readonly whole: ImageData;
  /** What was taken for the thing; null if nothing stands out from its background. */
  readonly thing: {
    /** In Base64. */
    readonly descriptor: string;
    /** As large as `whole`: transparent where the thing is, and black elsewhere. */
    readonly veil: ImageData;
  } | null;
}

export interface ViewerOffers {
  /** The frame can fill the screen. */
  readonly fullScreen: boolean;
  /** The page has links to views. */
  readonly links: boolean;
  /** The page saves pictures. */
  readonly pictures: boolean;
  /** The page follows the camera. */
  readonly camera: boolean;
  /** The controls are unfolded at first, where there is room. */
  readonly controls: boolean;
  /** Instead of controls, the model turns and plays its animation by itself. */
  readonly turntable: boolean;
}

/** Shortcuts of the page that are pressed in the frame: those of the palette and of the list of keys. */
export type ViewerShortcut = 'palette' | 'keys';

export type FromViewer =
  /** Comes with the port on which the bytes of the file are sent. */
  | { readonly type: 'read-file'; readonly path: string }
  | { readonly type: 'state'; readonly state: ViewerState }
  /** A PNG of the view, requested by the page or by the frame's own button. */
  | { readonly type: 'picture'; readonly png: ArrayBuffer }
  /** The user asks for a link to this view. */
  | { readonly type: 'view'; readonly view: string }
  /** Where the camera is: once the model is shown, and whenever the user has moved it. */
  | { readonly type: 'camera'; readonly camera: CameraPlace }
  | { readonly type: 'full-screen'; readonly isOn: boolean }
  | { readonly type: 'closed' }
  | { readonly type: 'thumbnail'; readonly webp: ArrayBuffer; readonly statistics: AssetStatistics }
  | { readonly type: 'described'; readonly description: Description }
  /** The viewer cannot show the asset, and the user asks for its files. */
  | { readonly type: 'show-files' }
  | { readonly type: 'shortcut'; readonly shortcut: ViewerShortcut };
