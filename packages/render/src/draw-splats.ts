import { Unrenderable } from './errors.ts';
import { type Picture, THUMBNAIL_SIZE } from './picture.ts';
import type { SplatCloud } from './scene.ts';
import { blendSplats } from './splats/blend.ts';
import { frameSplats } from './splats/frame.ts';
import { projectSplats } from './splats/project.ts';

/** @throws Unrenderable when nothing is visible. */
export function drawSplats(cloud: SplatCloud): Picture {
  const camera = frameSplats(cloud);
  if (camera === undefined) throw new Unrenderable('nothing visible to draw');
  return blendSplats(projectSplats(cloud, camera, THUMBNAIL_SIZE), THUMBNAIL_SIZE);
}
