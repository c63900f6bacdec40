import type { Viewer } from '../viewer.ts';
import type { ViewerName } from './select-viewer.ts';

/** The viewers, each loaded on first use. */
export const viewers: Readonly<Record<ViewerName, () => Promise<{ readonly viewer: Viewer }>>> = {
  gltf: () => import('./gltf.ts'),
  image: () => import('./image.ts'),
  mesh: () => import('./mesh.ts'),
  mjcf: () => import('./mjcf.ts'),
  sdf: () => import('./sdf.ts'),
  splat: () => import('./splat.ts'),
  text: () => import('./text.ts'),
  urdf: () => import('./urdf.ts'),
  usd: () => import('./usd.ts'),
};
