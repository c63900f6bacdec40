export { isBinaryFbx } from './fbx/binary.ts';
export {
  type FbxConnection,
  FbxDocument,
  type FbxObject,
  type FbxPicture,
  pictureOf,
  readFbx,
  texturesOf,
} from './fbx/document.ts';
export {
  type FbxArray,
  type FbxBytes,
  type FbxRecord,
  type FbxValue,
  type Inflate,
  isFbxArray,
  numberOf,
  numbersIn,
  recordNamed,
  textAt,
} from './fbx/record.ts';
export { FileIndex, marksPackage } from './file-index.ts';
export { GLB_HEAD, glbJson, isGlb, splitGlb } from './glb.ts';
export { halfToNumber } from './half.ts';
export { type ImageSize, imageSize, isPicture } from './image-size.ts';
export { materialLibraries, materialTextureFolders, textureOf } from './materials.ts';
export { followMjcf, type MjcfFolders, type MjcfReference, type MjcfSurvey, surveyMjcf } from './mjcf.ts';
export { type OffHeader, parseOffHeader } from './off-header.ts';
export { type ModelVersion, modelVersionsIn, packageNameIn } from './packages.ts';
export { baseName, commonFolder, depthOf, extensionOf, folderOf, stemOf } from './paths.ts';
export { MAX_PCD_HEADER_BYTES, type PcdHeader, parsePcdHeader } from './pcd-header.ts';
export {
  MAX_PLY_HEADER_BYTES,
  type PlyElement,
  type PlyHeader,
  type PlyProperty,
  parsePlyHeader,
  SCALAR_BYTES,
  type ScalarType,
} from './ply-header.ts';
export { type PointLines, pointLines } from './point-lines.ts';
export {
  extensionsOf,
  extensionsOfFamilies,
  type FileFormat,
  FORMATS,
  type FormatFamily,
  type FormatName,
  formatOf,
} from './registry.ts';
export { type Reference, type ReferenceRole, type Resolved, resolveReference } from './resolve.ts';
export { STL_FACET_BYTES, STL_HEADER_BYTES, type StlLayout, stlLayout } from './stl.ts';
export { decodeText, percentDecoded } from './text.ts';
export { isLfsPointer, MAX_POINTER_BYTES, POINTER_WORDS, UnreadableFileError } from './unreadable.ts';
export { readUsdFile, splitArchivePath } from './usd/archive.ts';
export type { UsdFiles, UsdProblem } from './usd/layer-stacks.ts';
export { loadStage, openStage, type StageOptions, type UsdStage } from './usd/stage.ts';
export type { UsdPrim } from './usd/stage-prim.ts';
export { surveyUsd, type UsdSurvey } from './usd/survey.ts';
export { isAsset, isDictionary, type UsdAsset, type UsdValue } from './usd/values.ts';
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
  isVrmlNode,
  readVrml,
  type VrmlNode,
  type VrmlValue,
  vrmlNodes,
  vrmlReferences,
} from './vrml.ts';
export type { MacroElement } from './xacro/document.ts';
export { type ExpandedModel, ExpansionError, type ExpansionGap, expandXacro } from './xacro/expand.ts';
export { type MacroFiles, macroFiles } from './xacro/files.ts';
export { type WrittenModel, writeExpanded } from './xacro/write.ts';
export {
  decodeXml,
  type OpenElement,
  parseXml,
  scanXml,
  type XmlElement,
  type XmlVisitor,
  xmlRoot,
} from './xml.ts';
