import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import { notFound, ServiceError } from '../../../errors.ts';
import type { AnnouncedUpload, ObjectAddress } from '../../../objects/store.ts';
import type { DiskStoreOptions } from './options.ts';
import { type PartUrl, type PresignedUrls, STORAGE_PATH } from './presigned-urls.ts';
import { failureOf, sendEmpty, sendError } from './responses.ts';

const METHODS = 'GET, HEAD, PUT, OPTIONS';

type Answer<Permitted extends unknown[]> = (
  request: IncomingMessage,
  response: ServerResponse,
  ...permitted: Permitted
) => Promise<void>;

/** Handlers of requests that a presigned URL allows. */
export interface StorageRoutes {
  sendBundle: Answer<[]>;
  receiveBundle: Answer<[]>;
  download: Answer<[object: ObjectAddress, fileName: string]>;
  receiveFile: Answer<[upload: AnnouncedUpload]>;
  receivePart: Answer<[part: PartUrl]>;
}

/** Creates the handler of the service's own presigned URLs; it returns false for other requests. */
export function createServeObjects(
  store: StorageRoutes & { urls: PresignedUrls } & Pick<DiskStoreOptions, 'admit' | 'log'>,
) {
  return function serveObjects(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith(STORAGE_PATH)) return false;
    answer(request, response).catch((error: unknown) => {
      const failure = failureOf(error);
      if (!failure && request.destroyed && !request.complete) return;
      sendError(request, response, failure ?? internal());
      if (!(error instanceof ServiceError)) store.log.error({ err: error }, 'a storage request failed');
    });
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    store.admit(request, response);
    const { method = '', url = '' } = request;
    if (method === 'OPTIONS') return sendEmpty(response, 204, PREFLIGHT);
    if (url === BUNDLE.path) {
      if (method === 'POST') return store.sendBundle(request, response);
      if (method === 'PUT') return store.receiveBundle(request, response);
      return refuseMethod(request, response, 'POST, PUT, OPTIONS');
    }
    if (!['GET', 'HEAD', 'PUT'].includes(method)) return refuseMethod(request, response, METHODS);
    const verdict = store.urls.verify(method, url);
    if (verdict === 'forged')
      throw new ServiceError('invalid_signature', 'The signature of the URL is not valid.');
    if (verdict === 'expired')
      throw new ServiceError('url_expired', 'The URL has expired. Ask for a new one.');
    if (verdict === 'unknown') throw notFound();
    switch (verdict.kind) {
      case 'get':
        return store.download(request, response, verdict.object, verdict.fileName);
      case 'put':
        return store.receiveFile(request, response, verdict.upload);
      case 'part':
        return store.receivePart(request, response, verdict.part);
    }
  }
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, allowed: string): void {
  const failure = new ServiceError('method_not_allowed', `Only ${allowed} are served here.`);
  sendError(request, response, failure, ['Allow', allowed]);
}

const PREFLIGHT = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers',
  'Content-Type, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age',
  '86400',
];

function internal(): ServiceError {
  return new ServiceError('internal', 'Something went wrong on the server. The request id is in its log.');
}
