export { isBinaryFbx } from './fbx/binary.ts';
export {
  type FbxConnection,
  type FbxObject,
  type FbxPicture,
  readFbx,
  texturesOf,
} from './fbx/document.ts';
export type {
  FbxArray,
  FbxBytes,
  FbxRecord,
  FbxValue,
  Inflate,
} from './fbx/record.ts';
export { FileIndex, marksPackage } from './files/file-index.ts';
export { type ModelVersion, modelVersionsIn, packageNameIn } from './files/packages.ts';
export { baseName, commonFolder, depthOf, extensionOf, folderOf, stemOf } from './files/paths.ts';
export { type Reference, type ReferenceRole, type Resolved, resolveReference } from './files/resolve.ts';
export { decodeText, percentDecoded } from './files/text.ts';
export { isLfsPointer, MAX_POINTER_BYTES, POINTER_WORDS, UnreadableFileError } from './files/unreadable.ts';
export {
  decodeXml,
  type OpenElement,
  parseXml,
  scanXml,
  type XmlElement,
  type XmlVisitor,
  xmlRoot,
} from './files/xml.ts';
export type { FormatFamily } from './format.ts';
export { GLB_HEAD, glbJson, isGlb, splitGlb } from './gltf/glb.ts';
export { type ImageSize, imageSize, isPicture } from './images/image-size.ts';
export {
  followMjcf,
  type MjcfFolders,
  type MjcfReference,
  type MjcfSurvey,
  surveyMjcf,
} from './mjcf/survey.ts';
export { materialLibraries, materialTextureFolders, textureOf } from './obj/materials.ts';
export { type OffHeader, parseOffHeader } from './off/header.ts';
export { MAX_PCD_HEADER_BYTES, type PcdHeader, parsePcdHeader } from './pcd/header.ts';
export {
  MAX_PLY_HEADER_BYTES,
  type PlyElement,
  type PlyHeader,
  type PlyProperty,
  parsePlyHeader,
  SCALAR_BYTES,
  type ScalarType,
} from './ply/header.ts';
export {
  extensionsOf,
  extensionsOfFamilies,
  type FileFormat,
  FORMATS,
  type FormatName,
  formatNamed,
  formatOf,
} from './registry.ts';
export { type StlLayout, stlLayout } from './stl/layout.ts';
export type { UsdFiles, UsdProblem } from './usd/stage/layer-stacks.ts';
export { loadStage, openStage, type StageOptions, type UsdStage } from './usd/stage/stage.ts';
export type { UsdPrim } from './usd/stage/stage-prim.ts';
export { surveyUsd, type UsdSurvey } from './usd/stage/survey.ts';
export { isAsset, type UsdAsset, type UsdValue } from './usd/stage/values.ts';
export type {
  CheckedMesh,
  Course,
  Loss,
  ModelFindings,
  ModelIssue,
  ModelSimulation,
  ModelsToCheck,
  ModelVerdict,
  PlacedMesh,
  ProofLine,
  Simulation,
  SimulationProblem,
} from './verdicts.ts';
export {
  readVrml,
  type VrmlNode,
  type VrmlValue,
  vrmlReferences,
} from './vrml/nodes.ts';
export type { MacroElement } from './xacro/document.ts';
export { type ExpandedModel, ExpansionError, type ExpansionGap, expandXacro } from './xacro/expand.ts';
export { type MacroFiles, macroFiles } from './xacro/files.ts';
export { type WrittenModel, writeExpanded } from './xacro/write.ts';
export { type PointLines, pointLines } from './xyz/lines.ts';
