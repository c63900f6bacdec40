import pino, { type Logger } from 'pino';
import type { Configuration } from '../configuration.ts';
import { TerminalLog } from './terminal-log.ts';

/**
 * The log: JSON lines on stderr, or short lines where a person looks at a terminal. What it writes names paths and
 * ids; queries, headers and bodies never get here, so no token, share token or signature can.
 */
export function createLog({ logLevel }: Pick<Configuration, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  return process.stderr.isTTY
    ? pino(options, new TerminalLog(process.stderr))
    : pino(options, pino.destination({ dest: 2, sync: true }));
}
