import { Readable } from 'node:stream';
import { type McpServer, ProtocolErrorCode, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';

/** Bytes of one message. Files travel through folders, never in messages. */
const MAX_MESSAGE = 4 * 1024 * 1024;

/** Serves over stdin and stdout until the client closes them, or the signal aborts. Nothing else may write to stdout. */
export async function serveOverStdio(newServer: () => McpServer, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>();
  process.stdin.once('close', ended.resolve).once('end', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  const messages = Readable.from(readMessages(process.stdin, process.stdout), { objectMode: false });
  const handle = serveStdio(newServer, { transport: new StdioServerTransport(messages) });
  await ended.promise;
  await handle.close();
}

/** Passes on the lines that are messages; refuses others with an error, which the protocol library would ignore. */
async function* readMessages(input: Readable, output: NodeJS.WritableStream): AsyncGenerator<string> {
  for await (const line of readLines(input)) {
    const refusal = line === null ? TOO_LONG : refusalOf(line);
    if (refusal === null) yield `${line}\n`;
    else output.write(`${JSON.stringify({ jsonrpc: '2.0', id: null, error: refusal })}\n`);
  }
}

const TOO_LONG = {
  code: ProtocolErrorCode.InvalidRequest,
  message: `Invalid Request: a message has at most ${MAX_MESSAGE} bytes`,
};

function refusalOf(line: string): { code: number; message: string } | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { code: ProtocolErrorCode.ParseError, message: 'Parse error: the line is not JSON' };
  }
  try {
    parseJSONRPCMessage(value);
    return null;
  } catch {
    return { code: ProtocolErrorCode.InvalidRequest, message: 'Invalid Request: not a JSON-RPC 2.0 message' };
  }
}

/** Yields lines that are not empty, and null for each that is too long, of which nothing is kept. */
async function* readLines(input: Readable): AsyncGenerator<string | null> {
  let [parts, bytes]: [Buffer[], number] = [[], 0];
  const take = () => {
    const line = bytes > MAX_MESSAGE ? null : Buffer.concat(parts).toString('utf8').trim();
    [parts, bytes] = [[], 0];
    return line;
  };
  for await (const chunk of input as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length; ) {
      const end = chunk.indexOf(10, at);
      const part = chunk.subarray(at, end === -1 ? chunk.length : end);
      bytes += part.length;
      if (bytes <= MAX_MESSAGE) parts.push(part);
      else parts = [];
      at += part.length + 1;
      if (end === -1) break;
      const line = take();
      if (line !== '') yield line;
    }
  }
}
