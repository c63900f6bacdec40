/** The loaders of models, for viewers in browsers: without libvips, and of Node only `node:zlib`, to be substituted. */

export { createLoadContext, type LoadContext } from '@bindery/formats/context';
export { decodePicture } from '@bindery/formats/images/decode';
export type { ImageDecoder } from '@bindery/formats/images/textures';
export { compileShown } from '@bindery/formats/mjcf/compile';
export { namesOf } from '@bindery/formats/mjcf/lookups';
export { ModelScene, type VisibleGeom } from '@bindery/formats/mjcf/model-scene';
export { startMujoco } from '@bindery/formats/mjcf/start';
export type { Bounds } from '@bindery/formats/model/bounds';
export { countRobot, drawnParts, frontOfMechanism } from '@bindery/formats/model/drawn-mechanism';
export { atRest, jointMotion, reachOf } from '@bindery/formats/model/kinematics';
export {
  cross,
  dot,
  fromRotation,
  inverse,
  type Matrix4,
  multiply,
  rotated,
  subtract,
  transformPoint,
  type Vector3,
} from '@bindery/formats/model/matrix';
export type { Joint, Mechanism, ModelParameter } from '@bindery/formats/model/mechanism';
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
} from '@bindery/formats/model/scene';
export { readPlyHeader } from '@bindery/formats/ply/read';
export { loadMesh, readDrawn, readMesh } from '@bindery/formats/read';
export { AssetFiles, type FileSource, toMessageText } from '@bindery/formats/reading/asset-files';
export { NothingVisible, readable, TooLarge, Unrenderable } from '@bindery/formats/reading/errors';
export { Budget, DEFAULT_LIMITS, type RenderLimits } from '@bindery/formats/reading/limits';
export { type Omissions, type Shortfall, whyNothing } from '@bindery/formats/reading/omissions';
export { loadSplats } from '@bindery/formats/splats/read';
export { declaredSplatCount, parseSogMeta, type SogMeta } from '@bindery/formats/splats/sog';
export { isLodIndex } from '@bindery/formats/splats/streamed-sog';
export { loadUsdModel, type VariantSet } from '@bindery/formats/usd/model';
export type { VariantChoices } from '@bindery/formats/usd/read';
export { drawingFrame, eyePosition, frameThreeQuarter, HALF_FIELD_OF_VIEW } from './camera.ts';
export { describeFigure, describePicture, describeScene, describeSplats } from './describe/describe.ts';
export { figureOf } from './describe/picture-figure.ts';
export { drawModel, measureModel } from './draw-model.ts';
export {
  DESATURATION,
  EXPOSURE,
  FILL_DIRECTION,
  GROUND,
  KEY_DIRECTION,
  LIGHTS,
  SKY,
  START,
} from './shade/light.ts';
