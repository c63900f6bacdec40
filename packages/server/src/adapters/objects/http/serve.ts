import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import type { Logger } from 'pino';
import type { ObjectResponses, Refuse } from '../../../context.ts';
import { notFound, ServiceError } from '../../../errors.ts';
import type { AnnouncedUpload, ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import { failureOf, internal, sendEmpty, sendError } from './answers.ts';
import { type ObjectHeaders, presignedHeaders } from './download.ts';
import { type PartUrl, type PresignedUrls, STORAGE_PATH } from './presigned-urls.ts';

const METHODS = 'GET, HEAD, PUT, OPTIONS';

/** What every store needs in order to answer requests for the URLs that it presigns. */
export interface StorageOptions {
  /** 32 random bytes that sign presigned URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Called first for every request for a presigned URL; throws to reject it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a missing object was lost: then its URL responds with `content_lost`, otherwise with 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  intake: UploadIntake;
}

type Answer<Permitted extends unknown[]> = (
  request: IncomingMessage,
  response: ServerResponse,
  ...permitted: Permitted
) => Promise<void>;

/** Handlers of requests that a presigned URL allows. */
export interface StorageRoutes {
  sendBundle: Answer<[]>;
  receiveBundle: Answer<[]>;
  download: Answer<[object: ObjectAddress, headers: ObjectHeaders]>;
  receiveFile: Answer<[upload: AnnouncedUpload]>;
  receivePart: Answer<[part: PartUrl]>;
}

export function createObjectResponses(
  store: StorageRoutes & { urls: PresignedUrls } & Pick<StorageOptions, 'admit' | 'log'>,
): ObjectResponses {
  return {
    admit: store.admit,
    serveObjects(request, response) {
      if (!request.url?.startsWith(STORAGE_PATH)) return false;
      respond(request, response, () => answer(request, response));
      return true;
    },
    sendObject: (request, response, object, headers, refuse) =>
      respond(request, response, () => store.download(request, response, object, headers), refuse),
  };

  function respond(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
    refuse: Refuse = sendError,
  ): void {
    admitted(request, response, work).catch((error: unknown) => {
      const failure = failureOf(error);
      if (!failure && request.destroyed && !request.complete) return;
      if (response.headersSent || response.destroyed) response.destroy();
      else refuse(request, response, failure ?? internal());
      if (!(error instanceof ServiceError)) store.log.error({ err: error }, 'a storage request failed');
    });
  }

  async function admitted(
    request: IncomingMessage,
    response: ServerResponse,
    work: () => Promise<void>,
  ): Promise<void> {
    store.admit(request, response);
    await work();
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
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
        return store.download(request, response, verdict.object, presignedHeaders(verdict.fileName));
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
