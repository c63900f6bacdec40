/**
 * What the dashboard and the frame of its viewer say to each other. The frame runs sandboxed in an origin of its own, without
 * token, cookie or network: all that it knows of an asset comes through one MessagePort, which the dashboard hands over
 * when the frame says `VIEWER_READY`. Whatever the frame sends is untrusted: it has read the asset.
 */

/** What the frame posts to its parent when it listens. */
export const VIEWER_READY = 'bindery-viewer-ready';
/** What the dashboard posts to the frame together with two ports: one for the asset, one for the frame's own code. */
export const VIEWER_PORT = 'bindery-viewer-port';

/**
 * The files that the frame's code is made of, by name below `/app/assets/`. The app fetches them, since a frame of an opaque
 * origin has no cache that lasts, and hands them over.
 */
export interface ViewerCode {
  /** The script that is there before anything is opened. */
  readonly entry: string;
  /** Each script, and those that it imports. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** What scripts ask for besides: WebAssembly, decoders. */
  readonly files: readonly string[];
}

/** Asks for a file of the frame's code. */
export interface ToCode {
  readonly request: number;
  readonly name: string;
}

export type FromCode =
  /** To be run at once. */
  | { readonly type: 'script'; readonly source: ArrayBuffer }
  /** The entry's scripts have all been sent. */
  | { readonly type: 'start'; readonly entry: string }
  /** A script, and all that it imports, has been sent; or the bytes of another file. */
  | { readonly type: 'answer'; readonly request: number; readonly bytes?: ArrayBuffer }
  | { readonly type: 'failed'; readonly request: number; readonly message: string };

export interface ViewerFile {
  /** Relative, `/`-separated, as in the manifest. */
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** The asset to show. Only the files named here can be asked for. */
export interface ViewerAsset {
  /** The manifest's kind: `mjcf`, `urdf`, `mesh`, `splat`, `image` or `file`. */
  readonly kind: string;
  /** The file to open: the asset's entry, or one of its entry points. */
  readonly entry: string;
  readonly files: readonly ViewerFile[];
}

export type Theme = 'light' | 'dark';

/** Numbers of what is shown; a viewer gives those that its format has. Mass in kilograms, sizes in metres where `unit` is `m`. */
export interface ViewerStatistics {
  readonly triangles?: number;
  readonly vertices?: number;
  readonly splats?: number;
  readonly points?: number;
  readonly bodies?: number;
  readonly joints?: number;
  readonly mass?: number;
  readonly animations?: number;
  readonly pixels?: readonly [width: number, height: number];
  /** Width, depth and height in the axes of the file. */
  readonly size?: readonly [x: number, y: number, z: number];
  readonly unit?: 'm';
  readonly up?: 'y' | 'z';
}

export type ViewerState =
  | { readonly status: 'loading'; readonly bytesRead: number }
  /** `omitted`: sentences about what of the asset is not shown. */
  | { readonly status: 'shown'; readonly statistics: ViewerStatistics; readonly omitted: readonly string[] }
  /** `canLoadAnyway`: it is only larger than what opens unasked. */
  | { readonly status: 'refused'; readonly reason: string; readonly canLoadAnyway: boolean };

export type ToViewer =
  | {
      readonly type: 'open';
      readonly asset: ViewerAsset;
      readonly theme: Theme;
      readonly loadAnyway: boolean;
    }
  | { readonly type: 'file'; readonly request: number; readonly bytes: ArrayBuffer }
  | { readonly type: 'file-failed'; readonly request: number; readonly message: string }
  | { readonly type: 'theme'; readonly theme: Theme }
  | { readonly type: 'take-picture' };

export type FromViewer =
  | { readonly type: 'read-file'; readonly request: number; readonly path: string }
  | { readonly type: 'state'; readonly state: ViewerState }
  /** A PNG of the view, asked for here or by the frame's own button. */
  | { readonly type: 'picture'; readonly png: ArrayBuffer }
  /** The viewer cannot show the asset, and the person wants its files. */
  | { readonly type: 'show-files' };
