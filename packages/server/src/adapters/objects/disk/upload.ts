import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnnouncedUpload, UploadReceived } from '../../../objects/store.ts';
import type { PartAddress } from './addresses.ts';
import { answerEmpty } from './answers.ts';
import { withTemporaryFile } from './files.ts';
import type { Layout } from './layout.ts';
import type { MultipartUploads } from './multipart.ts';
import { type Body, mismatch, receiveBody } from './receive.ts';
import type { WaitingRoom } from './waiting-room.ts';

/** Answers PUT of a whole file: it waits, verified, and is told of, before the client hears that it arrived. */
export async function receiveFile(
  store: Receiving,
  request: IncomingMessage,
  response: ServerResponse,
  upload: AnnouncedUpload,
): Promise<void> {
  const sha256 = await admitUpload(store, upload, await receiveBody(request, upload.size));
  await store.uploadReceived(upload, { sha256, size: upload.size });
  answerEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

/** Writes and verifies a whole file and lets it wait; answers its SHA-256. Throws `upload_mismatch` for another one. */
export function admitUpload(
  { layout, waitingRoom }: Receiving,
  upload: AnnouncedUpload,
  body: Body,
): Promise<string> {
  return withTemporaryFile(layout, async (fd, path) => {
    const received = await body.store(fd);
    if (upload.sha256 !== null && upload.sha256 !== received) {
      throw mismatch(`The bytes sent for "${upload.path}" do not have the announced SHA-256.`, {
        expected: upload.sha256,
        received,
      });
    }
    await waitingRoom.admit(upload.storeId, received, path);
    return received;
  });
}

/** Answers PUT of one part. */
export async function receivePart(
  { multipart }: Receiving,
  request: IncomingMessage,
  response: ServerResponse,
  part: PartAddress,
): Promise<void> {
  const body = await receiveBody(request, part.size);
  const sha256 = await multipart.receivePart(part, (fd, superseded) => {
    superseded.addEventListener('abort', () => request.destroy());
    return body.store(fd, part.offset);
  });
  answerEmpty(response, 200, ['Content-Length', '0', 'ETag', `"${sha256}"`]);
}

export interface Receiving {
  layout: Layout;
  waitingRoom: WaitingRoom;
  multipart: MultipartUploads;
  uploadReceived: UploadReceived;
}
