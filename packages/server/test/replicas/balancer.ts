import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Balancer {
  /** What clients see. */
  url: string;
  /** Origins behind it: each request goes to the next one. */
  targets: string[];
  /** Sends the next request to this target. */
  turnTo(target: number): void;
  close(): Promise<void>;
}

/** A load balancer that never sends two requests in a row to the same replica. */
export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const targets: string[] = [];
  let next = 0;
  const server = createServer((incoming, response) => {
    const target = targets[next % targets.length] ?? '';
    next = (next + 1) % targets.length;
    forward(agent, target, incoming, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    targets,
    turnTo: (target) => {
      next = target;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
    },
  };
}

function forward(agent: Agent, target: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  const { hostname, port } = new URL(target);
  const outgoing = request({ agent, hostname, port, method, path: url, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}
