export { FileIndex, marksPackage } from './files/file-index.ts';
export { modelVersionsIn, packageNameIn } from './files/packages.ts';
export { baseName, commonFolder, depthOf, extensionOf, folderOf, stemOf } from './files/paths.ts';
export { type Reference, type Resolved, resolveReference } from './files/resolve.ts';
export { decodeText, percentDecoded } from './files/text.ts';
export { isLfsPointer, MAX_POINTER_BYTES, POINTER_WORDS, UnreadableFileError } from './files/unreadable.ts';
export { parseXml, scanXml, type XmlElement, xmlRoot } from './files/xml.ts';
export type { Format } from './format.ts';
export { isGlb, splitGlb } from './gltf/glb.ts';
export { imageSize, isPicture } from './images/image-size.ts';
export { followMjcf } from './mjcf/survey.ts';
export { materialTextureFolders } from './obj/materials.ts';
export { surveyMtl } from './obj/survey.ts';
export { type PlyHeader, SCALAR_BYTES } from './ply/header.ts';
export {
  extensionsOf,
  extensionsOfFamilies,
  FORMATS,
  type FormatName,
  formatNamed,
  formatOf,
  formatOfRoot,
} from './registry.ts';
export { surveyLod, surveySog } from './splats/survey.ts';
export {
  type BoundedFile,
  MAX_XML_BYTES,
  type NamedEntry,
  type SourceMetadata,
  type Survey,
} from './survey.ts';
export { stagePicture } from './usd/format.ts';
export type {
  ComposedScene,
  Course,
  Fault,
  FileToRead,
  Loss,
  MadeProp,
  ModelFindings,
  ModelIssue,
  ModelSimulation,
  ModelsToCheck,
  ModelVerdict,
  PlacedMesh,
  PlacedPart,
  Placement,
  ProofLine,
  PropToMake,
  ReadFile,
  Refusal,
  SceneToCompose,
  Simulation,
  SimulationProblem,
  StoredAsset,
  WrittenModel,
} from './verdicts.ts';
export type { MacroElement } from './xacro/document.ts';
export { type ExpandedModel, ExpansionError, expandXacro } from './xacro/expand.ts';
export { type MacroFiles, macroFiles } from './xacro/files.ts';
export { writeExpanded } from './xacro/write.ts';
