import type { Authentication, Endpoint, Method } from './route.ts';

/** Method, path and authentication of every route, by resource: what a caller needs, without the schemas. */
export const endpoints = {
  service: {
    healthz: endpoint('GET', '/healthz', 'public'),
    readyz: endpoint('GET', '/readyz', 'public'),
    openapi: endpoint('GET', '/openapi.json', 'public'),
  },
  login: {
    startDeviceLogin: endpoint('POST', '/api/device/start', 'public'),
    pollDeviceLogin: endpoint('POST', '/api/device/poll', 'public'),
    exchangeToken: endpoint('POST', '/api/auth/exchange', 'public'),
    renewToken: endpoint('POST', '/api/auth/renew', 'required'),
    revokeToken: endpoint('POST', '/api/auth/revoke', 'required', 204),
    getProfile: endpoint('GET', '/api/auth/profile', 'required'),
    listTokens: endpoint('GET', '/api/auth/tokens', 'required'),
    createToken: endpoint('POST', '/api/auth/tokens', 'required', 201),
    deleteToken: endpoint('DELETE', '/api/auth/tokens/:id', 'required', 204),
    listLogins: endpoint('GET', '/api/auth/logins', 'required'),
    endLogin: endpoint('DELETE', '/api/auth/logins/:id', 'required', 204),
    changePassword: endpoint('PUT', '/api/auth/password', 'required', 204),
  },
  namespaces: {
    listNamespaces: endpoint('GET', '/namespaces', 'required'),
    createNamespace: endpoint('POST', '/namespaces', 'required', 201),
    getNamespace: endpoint('GET', '/namespaces/:namespace', 'optional'),
    patchNamespace: endpoint('PATCH', '/namespaces/:namespace', 'required'),
    deleteNamespace: endpoint('DELETE', '/namespaces/:namespace', 'required', 204),
    listMembers: endpoint('GET', '/namespaces/:namespace/members', 'required'),
    putMember: endpoint('PUT', '/namespaces/:namespace/members/:userName', 'required'),
    removeMember: endpoint('DELETE', '/namespaces/:namespace/members/:userName', 'required', 204),
  },
  libraries: {
    listAllLibraries: endpoint('GET', '/libraries', 'optional'),
    listLibraries: endpoint('GET', '/namespaces/:namespace/libraries', 'optional'),
    getLibrary: endpoint('GET', '/namespaces/:namespace/libraries/:name', 'optional'),
    getLog: endpoint('GET', '/namespaces/:namespace/libraries/:name/log', 'optional'),
    getAsset: endpoint('GET', '/namespaces/:namespace/libraries/:name/assets/:assetId', 'optional'),
    getManifest: endpoint('GET', '/namespaces/:namespace/libraries/:name/manifest', 'optional'),
    presignFiles: endpoint('POST', '/namespaces/:namespace/libraries/:name/files-presign', 'optional'),
    registerLibrary: endpoint('POST', '/namespaces/:namespace/libraries/:name/register', 'required'),
    patchLibrary: endpoint('POST', '/namespaces/:namespace/libraries/:name', 'required'),
    deleteLibrary: endpoint('DELETE', '/namespaces/:namespace/libraries/:name', 'required'),
    restoreLibrary: endpoint('POST', '/namespaces/:namespace/libraries/:name/restore', 'required'),
    purgeLibrary: endpoint('DELETE', '/namespaces/:namespace/libraries/:name/purge', 'required'),
  },
  releases: {
    listReleases: endpoint('GET', '/namespaces/:namespace/libraries/:name/releases', 'optional'),
    createRelease: endpoint('POST', '/namespaces/:namespace/libraries/:name/releases', 'required', 201),
    getRelease: endpoint('GET', '/namespaces/:namespace/libraries/:name/releases/:release', 'optional'),
    previewReleaseDeletion: endpoint(
      'GET',
      '/namespaces/:namespace/libraries/:name/releases/:release/deletion',
      'required',
    ),
    deleteRelease: endpoint(
      'DELETE',
      '/namespaces/:namespace/libraries/:name/releases/:release',
      'required',
      204,
    ),
  },
  uploads: {
    authorizeUploads: endpoint(
      'POST',
      '/namespaces/:namespace/libraries/:name/upload-authorizations',
      'required',
    ),
    completeUpload: endpoint(
      'POST',
      '/namespaces/:namespace/libraries/:name/uploads/:uploadId/complete',
      'required',
    ),
    abortUpload: endpoint(
      'DELETE',
      '/namespaces/:namespace/libraries/:name/uploads/:uploadId',
      'required',
      204,
    ),
  },
  search: {
    searchLibrary: endpoint('GET', '/namespaces/:namespace/libraries/:name/search', 'optional'),
    searchLibraries: endpoint('GET', '/library-search', 'optional'),
    searchEverything: endpoint('GET', '/search', 'optional'),
    complete: endpoint('GET', '/search/complete', 'optional'),
    countLibraryFacets: endpoint('GET', '/namespaces/:namespace/libraries/:name/facets', 'optional'),
    countLibrariesFacets: endpoint('GET', '/library-facets', 'optional'),
  },
  projects: {
    listProjects: endpoint('GET', '/namespaces/:namespace/projects', 'optional'),
    createProject: endpoint('POST', '/namespaces/:namespace/projects', 'required', 201),
    getProject: endpoint('GET', '/namespaces/:namespace/projects/:projectSlug', 'optional'),
    patchProject: endpoint('PATCH', '/namespaces/:namespace/projects/:projectSlug', 'required'),
    deleteProject: endpoint('DELETE', '/namespaces/:namespace/projects/:projectSlug', 'required', 204),
    listGrants: endpoint('GET', '/namespaces/:namespace/projects/:projectSlug/grants', 'required'),
    putGrant: endpoint('PUT', '/namespaces/:namespace/projects/:projectSlug/grants/:userName', 'required'),
    removeGrant: endpoint(
      'DELETE',
      '/namespaces/:namespace/projects/:projectSlug/grants/:userName',
      'required',
      204,
    ),
  },
  notes: {
    listNotes: endpoint('GET', '/namespaces/:namespace/notes', 'optional'),
    createNote: endpoint('POST', '/namespaces/:namespace/notes', 'required', 201),
    getNote: endpoint('GET', '/namespaces/:namespace/notes/:noteId', 'optional'),
    patchNote: endpoint('PATCH', '/namespaces/:namespace/notes/:noteId', 'required'),
    deleteNote: endpoint('DELETE', '/namespaces/:namespace/notes/:noteId', 'required', 204),
    listNoteProjects: endpoint('GET', '/namespaces/:namespace/resources/note/:noteId/projects', 'optional'),
    fileNote: endpoint(
      'PUT',
      '/namespaces/:namespace/resources/note/:noteId/projects/:projectSlug',
      'required',
    ),
    unfileNote: endpoint(
      'DELETE',
      '/namespaces/:namespace/resources/note/:noteId/projects/:projectSlug',
      'required',
      204,
    ),
  },
  bindrs: {
    listBindrs: endpoint('GET', '/namespaces/:namespace/projects/:projectSlug/bindrs', 'optional'),
    createBindr: endpoint('POST', '/namespaces/:namespace/projects/:projectSlug/bindrs', 'required', 201),
    patchBindr: endpoint('PATCH', '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId', 'required'),
    deleteBindr: endpoint(
      'DELETE',
      '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId',
      'required',
      204,
    ),
    tagNode: endpoint(
      'PUT',
      '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId/members/:nodeId',
      'required',
    ),
    untagNode: endpoint(
      'DELETE',
      '/namespaces/:namespace/projects/:projectSlug/bindrs/:bindrId/members/:nodeId',
      'required',
      204,
    ),
  },
  /** Operators alone; for everybody else, a token or not, there is nothing. */
  admin: {
    listUsers: endpoint('GET', '/admin/users', 'optional'),
    getUser: endpoint('GET', '/admin/users/:userName', 'optional'),
    patchUser: endpoint('PATCH', '/admin/users/:userName', 'optional'),
    deleteUser: endpoint('DELETE', '/admin/users/:userName', 'optional', 204),
    listAllNamespaces: endpoint('GET', '/admin/namespaces', 'optional'),
    inspectNamespace: endpoint('GET', '/admin/namespaces/:namespace', 'optional'),
    patchQuota: endpoint('PATCH', '/admin/namespaces/:namespace/quota', 'optional'),
    handOverNamespace: endpoint('POST', '/admin/namespaces/:namespace/hand-over', 'optional'),
    getStorage: endpoint('GET', '/admin/storage', 'optional'),
    getHealth: endpoint('GET', '/admin/health', 'optional'),
    getModels: endpoint('GET', '/admin/models', 'optional'),
  },
} as const;

function endpoint(
  method: Method,
  path: string,
  authentication: Authentication,
  success: Endpoint['success'] = 200,
): Endpoint {
  return { method, path, authentication, success };
}
