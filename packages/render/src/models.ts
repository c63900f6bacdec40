/** The loaders of models, for viewers in browsers: without libvips, and of Node only `node:zlib`, to be substituted. */

export { drawingFrame } from './camera.ts';
export { describePicture, describeScene, describeSplats } from './describe/describe.ts';
export { drawModel, measureModel } from './draw-model.ts';
export { NothingVisible, readable, TooLarge, Unrenderable } from './errors.ts';
export { AssetFiles, type FileSource, toMessageText } from './files.ts';
export { type Bounds, boundsOf, transformBounds, unionBounds } from './geometry/bounds.ts';
export { Budget, DEFAULT_LIMITS, type RenderLimits } from './limits.ts';
export { createLoadContext, type LoadContext } from './load/context.ts';
export { decodePicture } from './load/images/decode.ts';
export { extension, loadMesh } from './load/mesh.ts';
export { compileModel } from './load/mjcf/compile.ts';
export { ASSET_FOLDER, copyModelFiles } from './load/mjcf/model-files.ts';
export { ModelScene, type VisibleGeom } from './load/mjcf/model-scene.ts';
export { readModel } from './load/mjcf/read-model.ts';
export { readPlyHeader } from './load/ply.ts';
export { loadSdfRobot } from './load/sdf/sdf.ts';
export { declaredSplatCount, parseSogMeta, type SogMeta } from './load/splats/sog.ts';
export { loadSplats } from './load/splats/splats.ts';
export { isLodIndex } from './load/splats/streamed-sog.ts';
export type { ImageDecoder } from './load/textures.ts';
export { loadUrdfRobot } from './load/urdf.ts';
export type { JointedRobot, LinkShape, RobotParameter } from './load/urdf-links.ts';
export { motionOf, type RobotJoint } from './load/urdf-links.ts';
export { loadUsdModel, type VariantChoices, type VariantSet } from './load/usd/usd.ts';
export { parseXml } from './load/xml.ts';
export { IDENTITY, type Matrix4, multiply } from './matrix.ts';
export { type Omissions, type Shortfall, whyNothing } from './omissions.ts';
export type {
  AlphaMode,
  Geometry,
  Image,
  Instance,
  LineSet,
  Material,
  Motion,
  PointCloud,
  Scene,
  SkinnedMove,
  SplatCloud,
  Texture,
  Wrap,
} from './scene.ts';
