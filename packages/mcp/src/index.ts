export type {
  AssetCard,
  AssetFile,
  Catalog,
  FoundAsset,
  FoundAssets,
  LibraryName,
  RevisionName,
  SearchRequest,
  SimilarFound,
  SimilarRequest,
  VerifiedFile,
} from './catalog.ts';
export type { ViewerApp } from './resources.ts';
export { newMcpServer, type ServerOptions } from './server.ts';
export { relayedError, ToolError } from './tool-error.ts';
export { catalogTools, folderTools } from './tools/index.ts';
export type {
  FolderStatus,
  PlanReport,
  PullReport,
  PushReport,
  SyncReport,
  WorkingCopies,
} from './working-copies.ts';
