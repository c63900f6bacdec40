const KIB = 1024;
const MIB = 1024 * KIB;

/**
 * Many small files in one exchange, where the store of objects is the service's own. `POST` takes presigned `GET`
 * addresses of this store, from the path on, one in a line. The answer has a frame for each of them, in their order:
 *
 *     status (4 bytes)   what a GET of the address would answer: 200, 403, 404; or 413 for what no bundle brings
 *     length (4 bytes)   of the content; 0 unless the status is 200
 *     content
 *
 * Both numbers have the highest byte first. Sizes are bytes.
 */
export const BUNDLE = {
  path: '/storage/bundle',
  /** Addresses of one request. */
  addresses: 256,
  requestBytes: 256 * KIB,
  /** Of one file. */
  fileBytes: 256 * KIB,
  /** Of all files of one answer; what would go beyond is 413. */
  answerBytes: 8 * MIB,
  headBytes: 8,
} as const;
