import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** Serves over stdin and stdout until the client closes them, or the signal aborts. Nothing else may write to stdout. */
export async function serveOverStdio(newServer: () => McpServer, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>();
  process.stdin.once('close', ended.resolve).once('end', ended.resolve);
  signal.addEventListener('abort', () => ended.resolve(), { once: true });
  const handle = serveStdio(newServer);
  await ended.promise;
  await handle.close();
}
