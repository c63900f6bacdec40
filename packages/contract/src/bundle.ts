const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Many small files in one exchange, where the store of objects is the service's own. Numbers of 4 bytes have the highest
 * byte first, URLs are presigned ones of this store, from the path on. Sizes are bytes.
 *
 * `POST` takes URLs for `GET`, one in a line. The answer has a frame for each of them, in their order:
 *
 *     status (4 bytes)   what a GET of the URL would answer: 200, 403, 404; or 413 for what no bundle brings
 *     length (4 bytes)   of the content; 0 unless the status is 200
 *     content
 *
 * `PUT` takes for each file the length of its URL (4 bytes), its URL for `PUT`, and the content. 200 says that
 * all are verified and there; any other status, that some may not be, and that each is to be sent alone.
 */
export const BUNDLE = {
  path: '/storage/bundle',
  /** URLs of one request. */
  urls: 256,
  requestBytes: 256 * KIB,
  /** Of one file. */
  fileBytes: 256 * KIB,
  /** Of all files together; what an answer would have beyond is 413. */
  bytes: 8 * MIB,
  /** Of one URL to send to. */
  urlBytes: 8 * KIB,
  headBytes: 8,
} as const;
