import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import { notFound, ServiceError } from '../../../errors.ts';
import { answerEmpty, answerError, failureOf } from './answers.ts';
import { download } from './download.ts';
import type { DiskStoreOptions } from './options.ts';
import { STORAGE_PATH } from './presigned-urls.ts';
import { receiveBundle } from './receive-bundle.ts';
import { type Sending, sendBundle } from './send-bundle.ts';
import { type Receiving, receiveFile, receivePart } from './upload.ts';

const METHODS = 'GET, HEAD, PUT, OPTIONS';

/** Serves the presigned URLs of a disk store; false for a request that goes elsewhere. */
export function createServeObjects(
  store: Receiving & Sending & Pick<DiskStoreOptions, 'admit' | 'isLost' | 'log'>,
) {
  return function serveObjects(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith(STORAGE_PATH)) return false;
    answer(request, response).catch((error: unknown) => {
      const failure = failureOf(error);
      if (!failure && request.destroyed && !request.complete) return;
      answerError(request, response, failure ?? internal());
      if (!(error instanceof ServiceError)) store.log.error({ err: error }, 'a storage request failed');
    });
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    store.admit(request, response);
    const { method = '', url = '' } = request;
    if (method === 'OPTIONS') return answerEmpty(response, 204, PREFLIGHT);
    if (url === BUNDLE.path) {
      if (method === 'POST') return sendBundle(store, request, response);
      if (method === 'PUT') return receiveBundle(store, request, response);
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
        return download(store, request, response, verdict.object, verdict.fileName);
      case 'put':
        return receiveFile(store, request, response, verdict.upload);
      case 'part':
        return receivePart(store, request, response, verdict.part);
    }
  }
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, allowed: string): void {
  const failure = new ServiceError('method_not_allowed', `Only ${allowed} are served here.`);
  answerError(request, response, failure, ['Allow', allowed]);
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
