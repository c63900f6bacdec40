export { FileIndex, marksPackage } from './file-index.ts';
export { followMjcf, type MjcfFolders, type MjcfReference, type MjcfSurvey, surveyMjcf } from './mjcf.ts';
export { type ModelVersion, materialTextureFolders, modelVersionsIn, packageNameIn } from './packages.ts';
export { baseName, commonFolder, depthOf, extensionOf, folderOf, stemOf } from './paths.ts';
export { percentDecoded } from './percent.ts';
export type { Reference, ReferenceRole } from './reference.ts';
export { type Resolved, resolveReference } from './resolve.ts';
export { decodeText } from './text.ts';
export { UnreadableFileError } from './unreadable.ts';
export {
  decodeXml,
  type OpenElement,
  parseXml,
  scanXml,
  type XmlElement,
  type XmlVisitor,
  xmlRoot,
} from './xml.ts';
