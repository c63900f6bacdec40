/** What draws thumbnails; the SDK brings none of its own. */
export interface ThumbnailRenderer {
  /** Names how it draws: the same files and the same version give the same picture. */
  readonly version: string;
  /** How many thumbnails it draws at once. */
  readonly atOnce: number;
  /** Never rejects. A `transient` warning is about this machine and moment, any other about the asset. */
  render(request: RenderRequest): Promise<RenderedThumbnail>;
  /** Stops; what is being drawn ends in a warning. */
  close(): Promise<void>;
}

/** An asset's viewer tokens and files. */
export interface RenderRequest {
  kind: string;
  format?: string | undefined;
  /** The file that a viewer opens. */
  entry: string;
  files: {
    /** Bytes of each file by path. */
    sizes: ReadonlyMap<string, number>;
    read(path: string): Promise<Uint8Array>;
  };
}

export type RenderedThumbnail =
  | { webp: Uint8Array; omissions?: ThumbnailOmissions }
  | { warning: string; transient?: boolean };

/** What a picture should show of its asset and does not: files of meshes, textures, copies of a mesh. */
export type ThumbnailOmissions = { readonly [Part in 'meshes' | 'textures' | 'instances']?: Shortfall };

/** Of `total` things `missing` are not in the picture; `named` are the first of these. */
export interface Shortfall {
  readonly total: number;
  readonly missing: number;
  readonly named: readonly { readonly name: string; readonly reason: string }[];
}
