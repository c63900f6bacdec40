import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network between two machines that can stop bringing anything, as a cable that was pulled does: nobody is told. */
export interface BlackholeProxy {
  /** Stands for the target, with everything else of its URL. */
  url: string;
  setBlackhole(isSwallowing: boolean): void;
  close(): Promise<void>;
}

export async function startBlackholeProxy(target: string): Promise<BlackholeProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let swallowing = false;
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      if (swallowing) from.pause();
      from.on('data', (bytes) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => {
        if (!swallowing) from.resume();
      });
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (swallowing) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    setBlackhole: (isSwallowing) => {
      swallowing = isSwallowing;
      for (const socket of sockets) {
        if (swallowing) socket.pause();
        else socket.resume();
      }
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
