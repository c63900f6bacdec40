import type { Viewer } from '../viewer.ts';
import type { ViewerName } from './select-viewer.ts';

/** The viewers, each loaded on first use. */
export const viewers: Readonly<Record<ViewerName, () => Promise<{ readonly viewer: Viewer }>>> = {
  gltf: () => import('./gltf.ts'),
  image: () => import('./image.ts'),
  mjcf: () => import('./mjcf.ts'),
  model: () => import('./model.ts'),
  splat: () => import('./splat.ts'),
  text: () => import('./text.ts'),
};
