import { type BodyOf, describeReceived, LIMITS, type routes, uploadPathProblem } from '@bindery/contract';
import { invalidParameter, type ServiceError } from '../../errors.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

export type BatchedFile = BodyOf<typeof routes.uploads.authorizeUploads>['files'][number];

/** Checks what the schema cannot express: canonical, distinct paths, and the byte limit of a batch. */
export async function checkBatch(files: readonly BatchedFile[]): Promise<void> {
  const places = new Map<string, number>();
  let bytes = 0;
  for (const [at, { relativePath, size }] of files.entries()) {
    const problem = uploadPathProblem(relativePath);
    if (problem !== null) throw badPath(at, relativePath, problem);
    const earlier = places.get(relativePath);
    if (earlier !== undefined) throw badPath(at, relativePath, `is already listed at /files/${earlier}`);
    places.set(relativePath, at);
    bytes += size;
    if (turnIsOver()) await nextTurn();
  }
  if (bytes > LIMITS.uploadBatch.bytes) {
    throw invalidParameter(
      '/files',
      `/files: the files of a batch have at most ${LIMITS.uploadBatch.bytes} bytes together (received ${bytes}).`,
    );
  }
}

function badPath(at: number, path: string, problem: string): ServiceError {
  const pointer = `/files/${at}/relativePath`;
  return invalidParameter(pointer, `${pointer}: ${describeReceived(path)} ${problem}.`);
}
