export type {
  AssetCard,
  AssetFile,
  Catalog,
  FoundAsset,
  FoundAssets,
  LibraryName,
  RevisionName,
  SearchRequest,
  VerifiedFile,
} from './catalog.ts';
export { newMcpServer, type ServerOptions } from './server.ts';
export { ToolError } from './tool-error.ts';
export { catalogTools, folderTools } from './tools/index.ts';
export type {
  FolderStatus,
  PlanReport,
  PullReport,
  PushReport,
  SyncReport,
  WorkingCopies,
} from './working-copies.ts';
