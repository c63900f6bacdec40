import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnnouncedUpload } from '../../../objects/store.ts';
import { withTemporaryFile } from './files.ts';
import type { Layout } from './layout.ts';
import type { MultipartUploads } from './multipart.ts';
import type { PartUrl } from './presigned-urls.ts';
import { contentMismatch, receiveBody } from './receive-body.ts';
import { sendEmpty } from './responses.ts';
import { reportReceived, type StagingParts } from './staging-batches.ts';

/** Handles PUT of a whole file, which is staged, verified and recorded before the response is sent. */
export async function receiveFile(
  store: UploadReceiver,
  request: IncomingMessage,
  response: ServerResponse,
  upload: AnnouncedUpload,
): Promise<void> {
  using _expected = await store.intake.reserve([upload]);
  using room = await store.space.claim(upload.size);
  const body = await receiveBody(request, upload.size);
  const sha256 = await withTemporaryFile(store.layout, async (fd, path) => {
    const received = await body.store(fd, room);
    if (upload.sha256 !== null && upload.sha256 !== received) throw contentMismatch(upload, received);
    await store.staging.stage(upload.storeId, received, path);
    return received;
  });
  await reportReceived(store, [{ upload, stored: { sha256, size: upload.size } }]);
  sendEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

/** Handles PUT of one part. */
export async function receivePart(
  { multipart, space, intake }: UploadReceiver,
  request: IncomingMessage,
  response: ServerResponse,
  part: PartUrl,
): Promise<void> {
  await multipart.requireBegun(part);
  using _expected = await intake.reserve([part]);
  // The part is on disk twice until it has been copied to its place among the others.
  using room = await space.claim(2 * part.size);
  const body = await receiveBody(request, part.size);
  const sha256 = await multipart.receivePart(part, (fd) => body.store(fd, room));
  await intake.partReceived(part);
  sendEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

export interface UploadReceiver extends StagingParts {
  layout: Layout;
  multipart: MultipartUploads;
}
