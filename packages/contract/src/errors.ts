/**
 * Every error code of the service with its HTTP status. A code is defined here once; the server maps it to the
 * wire in one place, and clients branch on it.
 */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_parameter: 400,
  invalid_request: 400,
  invalid_cursor: 400,
  manifest_missing: 400,
  unknown_path: 400,
  expired_token: 400,
  unauthenticated: 401,
  invalid_token: 401,
  invalid_credentials: 401,
  forbidden: 403,
  recent_sign_in_required: 403,
  access_denied: 403,
  invalid_signature: 403,
  url_expired: 403,
  not_found: 404,
  asset_not_found: 404,
  unknown_request: 404,
  upload_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  revision_conflict: 409,
  slug_taken: 409,
  last_owner: 409,
  last_operator: 409,
  last_sign_in: 409,
  library_in_trash: 409,
  not_in_trash: 409,
  namespace_not_empty: 409,
  release_exists: 409,
  too_many_releases: 409,
  proposal_conflict: 409,
  proposal_decided: 409,
  checks_not_passed: 409,
  too_many_proposals: 409,
  signature_conflict: 409,
  too_many_webhooks: 409,
  too_many_namespaces: 409,
  files_missing: 409,
  content_mismatch: 409,
  parts_missing: 409,
  last_project: 409,
  bindr_cycle: 409,
  bindr_not_empty: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  manifest_too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  upload_mismatch: 422,
  manifest_invalid_json: 422,
  manifest_bad_schema: 422,
  manifest_invalid: 422,
  manifest_invalid_path: 422,
  manifest_duplicate_id: 422,
  manifest_too_many_assets: 422,
  manifest_too_many_files: 422,
  manifest_too_many_generated: 422,
  manifest_file_conflict: 422,
  conversion_refused: 422,
  signature_refused: 422,
  rate_limited: 429,
  slow_down: 429,
  headers_too_large: 431,
  internal: 500,
  content_lost: 500,
  renderer_missing: 501,
  unavailable: 503,
  storage_full: 507,
  quota_exceeded: 507,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** The code `authorization_pending` is sent with 202 and is not a failure; it is named here for clients that poll. */
export const AUTHORIZATION_PENDING = 'authorization_pending';

/** The JSON body of every failed request. Codes can have further fields (`parameter`, `revision`, `paths`, …). */
export interface ErrorBody {
  error: ErrorCode;
  message: string;
  requestId: string;
  [detail: string]: unknown;
}
