import { DEFAULT_LIMITS, type RenderLimits } from '@bindery/render/models';

/** What an asset may cost. A browser has less memory than a server, and a user is waiting. */
export interface ViewerLimits extends RenderLimits {
  /** Geoms of a MuJoCo model, each an object on the stage. */
  readonly geoms: number;
  /** Length of a text, in bytes. */
  readonly characters: number;
  /** How long reading may take, besides the network. */
  readonly seconds: number;
}

const MEGABYTE = 2 ** 20;

/** Limits for opening without asking. */
export const NORMAL_LIMITS: ViewerLimits = {
  ...DEFAULT_LIMITS,
  inputBytes: 256 * MEGABYTE,
  vertices: 6_000_000,
  triangles: 4_000_000,
  imagePixels: 64_000_000,
  splats: 3_000_000,
  nodes: 100_000,
  geoms: 20_000,
  characters: 2 * MEGABYTE,
  seconds: 20,
};

/** Limits after the user chose to load anyway, or to keep waiting. Anything larger would crash the page. */
export const EXTENDED_LIMITS: ViewerLimits = {
  ...NORMAL_LIMITS,
  inputBytes: 1024 * MEGABYTE,
  vertices: 40_000_000,
  triangles: 30_000_000,
  imagePixels: 256_000_000,
  splats: 12_000_000,
  nodes: 500_000,
  geoms: 100_000,
  characters: 16 * MEGABYTE,
  seconds: 600,
};

/** How many contacts of a simulation are shown. */
export const MAX_CONTACTS = 256;
