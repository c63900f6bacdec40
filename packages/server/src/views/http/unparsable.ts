import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode } from '@bindery/contract';

/** What Node's HTTP parser gives up on, by its code; the rest is a bad request. */
const PARSER_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The headers of the request are too large.',
  request_timeout: 'The request did not arrive in time.',
};

/** Answers, in the one shape of errors, what could not be read as HTTP, and closes the connection. */
export function answerUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const code = PARSER_CODES[error.code ?? ''] ?? 'bad_request';
  const status = ERROR_STATUS[code];
  const requestId = randomUUID();
  const body = JSON.stringify({
    error: code,
    message: SENTENCES[code] ?? 'The request is not valid HTTP.',
    requestId,
  });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
