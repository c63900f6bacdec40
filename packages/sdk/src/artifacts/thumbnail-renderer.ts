/** Draws thumbnails. The SDK does not include a renderer. */
export interface ThumbnailRenderer {
  /** Identifies how it draws: the same files and the same version give the same picture. */
  readonly version: string;
  /** How many thumbnails it draws at once. */
  readonly concurrency: number;
  /** Never rejects. A `transient` warning is about the current state of this machine, any other about the asset. */
  render(request: RenderRequest): Promise<RenderedThumbnail>;
  /** Stops the renderer. Drawings in progress resolve with a warning. */
  close(): Promise<void>;
}

/** The asset to draw: its kind, format, entry and files. */
export interface RenderRequest {
  kind: string;
  format?: string | undefined;
  /** The file that a viewer opens. */
  entry: string;
  files: {
    /** Size in bytes by path. */
    sizes: ReadonlyMap<string, number>;
    read(path: string): Promise<Uint8Array>;
  };
}

export type RenderedThumbnail =
  | { webp: Uint8Array; omissions?: ThumbnailOmissions }
  | { warning: string; transient?: boolean };

/** What a picture should show of its asset but does not: mesh files, textures, copies of a mesh. */
export type ThumbnailOmissions = { readonly [Part in 'meshes' | 'textures' | 'instances']?: Shortfall };

/** `missing` of `total` items are not in the picture; `named` lists the first of them. */
export interface Shortfall {
  readonly total: number;
  readonly missing: number;
  readonly named: readonly { readonly name: string; readonly reason: string }[];
}
