import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode } from '@bindery/contract';

/** Errors of Node's HTTP parser, by their code; all others are a bad request. */
const PARSER_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The headers of the request are too large.',
  request_timeout: 'The request did not arrive in time.',
  unavailable: 'The server has too many open connections. Try again.',
};

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

/** Milliseconds that a client has to read the response; otherwise one that never hangs up would keep its connection. */
const LINGER = 2_000;

/** Responds to what cannot be parsed as HTTP with an error in the usual format, and closes the connection. */
export function rejectUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusal(PARSER_CODES[error.code ?? ''] ?? 'bad_request');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  hangUp(socket);
}

/**
 * Responds 400 and closes the connection if a request names several hosts: a proxy in front may have used another one
 * (RFC 9112, section 3.2). Returns whether it did.
 */
export function refuseSeveralHosts(request: IncomingMessage, response: ServerResponse): boolean {
  if ((request.headersDistinct.host?.length ?? 0) <= 1) return false;
  const { status, headers, body } = refusal('bad_request');
  response.writeHead(status, headers).end(body);
  hangUp(request.socket);
  return true;
}

/** Responds 503 and closes the connection of a request that there are no file descriptors for. */
export function refuseExcess(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = refusal('unavailable');
  response.writeHead(status, { ...headers, 'retry-after': String(RETRY_AFTER) }).end(body);
  hangUp(request.socket);
}

function hangUp(socket: Socket): void {
  const lingering = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once('close', () => clearTimeout(lingering));
}

function refusal(code: ErrorCode): { status: number; headers: Record<string, string>; body: string } {
  const requestId = randomUUID();
  const message = SENTENCES[code] ?? 'The request is not valid HTTP.';
  const body = JSON.stringify({ error: code, message, requestId });
  return {
    status: ERROR_STATUS[code],
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      connection: 'close',
    },
    body,
  };
}
