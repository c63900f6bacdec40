/**
 * What the dashboard and the frame of its viewer say to each other. The frame runs sandboxed in an origin of its own, without
 * token, cookie or network: all that it knows of an asset comes through one MessagePort, which the dashboard hands over
 * when the frame says `VIEWER_READY`. Whatever the frame sends is untrusted: it has read the asset.
 */

/** What the frame posts to its parent when it listens. */
export const VIEWER_READY = 'bindery-viewer-ready';
/** What the dashboard posts to the frame together with the port. */
export const VIEWER_PORT = 'bindery-viewer-port';

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
