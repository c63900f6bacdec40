import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The share of this process's file descriptors that connections may take; files, workers and databases need the rest. */
const SHARE = 0.6;

/**
 * Watches the connections of a server. The returned function says whether one is beyond what the process has file
 * descriptors for, so that its requests should be refused while there is still a descriptor to do it with.
 */
export function watchConnections(server: Server, most = mostConnections()): (socket: Socket) => boolean {
  const excess = new WeakSet<Socket>();
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    if (open > most) excess.add(socket);
    socket.once('close', () => {
      open--;
    });
  });
  return (socket) => excess.has(socket);
}

/** Infinity where the limit is not known; the operating system then closes what it cannot accept. */
function mostConnections(): number {
  try {
    const [, limit = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === '' ? Number.POSITIVE_INFINITY : Math.floor(Number(limit) * SHARE);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
