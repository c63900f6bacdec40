const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Transfers many small files in one exchange, if the presigned URLs are the service's own. Numbers of 4 bytes are
 * big-endian, and URLs begin with their path. Sizes are in bytes.
 *
 * `POST` sends URLs for `GET`, one per line. The response has a frame for each of them, in the same order:
 *
 *     status (4 bytes)   that of a GET of the URL: 200, 403, 404; or 413 for what does not fit into a bundle
 *     length (4 bytes)   of the content; 0 unless the status is 200
 *     content
 *
 * `PUT` sends for each file the length of its URL (4 bytes), its URL for `PUT`, and the content. 200 means that all
 * files are verified and stored; any other status, that some may not be, and that each has to be sent separately.
 */
export const BUNDLE = {
  path: '/storage/bundle',
  /** Maximum URLs of one request. */
  urls: 256,
  requestBytes: 256 * KIB,
  /** Of one file. */
  fileBytes: 256 * KIB,
  /** Of all files together; files that do not fit into a response get 413. */
  bytes: 8 * MIB,
  /** Of one URL for `PUT`. */
  urlBytes: 8 * KIB,
  headBytes: 8,
} as const;
