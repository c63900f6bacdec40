import type { ErrorCode } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Refuse } from '../../../context.ts';
import { ServiceError } from '../../../errors.ts';
import { reportFailure } from '../../../http/errors.ts';
import { element, sendXml, XML_TYPE, xmlDocument } from './xml.ts';

/** A failure for which S3 has a code of its own. */
export class S3Failure extends ServiceError {
  readonly s3Code: string;

  constructor(s3Code: string, code: ErrorCode, message: string) {
    super(code, message);
    this.s3Code = s3Code;
  }
}

export function accessDenied(message: string): S3Failure {
  return new S3Failure('AccessDenied', 'forbidden', message);
}

export function invalidArgument(name: string): S3Failure {
  return new S3Failure('InvalidArgument', 'invalid_parameter', `The value of ${name} is not valid.`);
}

export function methodNotAllowed(what: string): S3Failure {
  return new S3Failure('MethodNotAllowed', 'method_not_allowed', `${what} is not part of what can be read.`);
}

/** Answers failures as S3 does. Nobody is asked to sign in, so hidden and missing libraries are one to everybody. */
export function answerFailures(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const failure = reportFailure(request, error);
    reply.removeHeader('etag').header('cache-control', 'no-store').status(statusOf(failure));
    return sendXml(reply, document(failure, request.id));
  });
}

/** Answers the failure to send a file. */
export const refuseInXml: Refuse = (request, response, failure) => {
  const id = String(response.getHeader('x-amz-request-id') ?? '');
  const body = Buffer.from(document(failure, id));
  response.writeHead(statusOf(failure), [
    ...['content-type', XML_TYPE],
    ...['content-length', String(body.length)],
    ...['cache-control', 'no-store'],
    ...['x-amz-request-id', id],
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
};

function document(failure: ServiceError, requestId: string): string {
  const message = isMissing(failure) ? 'It does not exist, or you do not have access.' : failure.message;
  return xmlDocument(
    'Error',
    element('Code', s3CodeOf(failure)) + element('Message', message) + element('RequestId', requestId),
  );
}

function statusOf(failure: ServiceError): number {
  return isMissing(failure) ? 404 : failure.status;
}

function isMissing({ code }: ServiceError): boolean {
  return code === 'not_found' || code === 'unauthenticated';
}

const CODES: Partial<Record<ErrorCode, string>> = {
  invalid_token: 'InvalidToken',
  rate_limited: 'SlowDown',
  unavailable: 'SlowDown',
  precondition_failed: 'PreconditionFailed',
  range_not_satisfiable: 'InvalidRange',
};

function s3CodeOf(failure: ServiceError): string {
  if (failure instanceof S3Failure) return failure.s3Code;
  if (isMissing(failure)) return failure.details.missing === 'path' ? 'NoSuchKey' : 'NoSuchBucket';
  return CODES[failure.code] ?? (failure.status < 500 ? 'InvalidRequest' : 'InternalError');
}
