import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { StartError } from '../process/start-error.ts';
import { formatAddress } from './address.ts';

/** Starts to listen and returns the actual port. Throws `StartError`. */
export async function listen(
  app: FastifyInstance,
  { host, port }: Pick<Configuration, 'host' | 'port'>,
): Promise<number> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    throw new StartError(describeFailure(host, port, (error as NodeJS.ErrnoException).code), {
      cause: error,
    });
  }
  const bound = app.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}

function describeFailure(host: string, port: number, code: string | undefined): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} of ${host} is in use. Stop what is listening there, or choose another with --port or BINDERY_PORT (0 picks a free one).`;
    case 'EACCES':
      return `This user is not allowed to listen on port ${port}. Choose one above 1023 with --port or BINDERY_PORT.`;
    default:
      return `The service cannot listen on ${formatAddress(host, port)} (${code}). Choose an address of this machine with --host or BINDERY_HOST.`;
  }
}
