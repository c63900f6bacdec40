import pino, { type Logger } from 'pino';
import type { Configuration } from '../configuration.ts';
import { LogStream } from './log-stream.ts';
import { TerminalLog } from './terminal-log.ts';

const STDERR = 2;

/**
 * The log: JSON lines on stderr, or short lines on a terminal. It has paths and ids; queries, headers and bodies
 * never get here, so no token, share token or signature can.
 */
export function createLog({ logLevel }: Pick<Configuration, 'logLevel'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  const stream = new LogStream(STDERR);
  return pino(options, process.stderr.isTTY ? new TerminalLog(stream) : stream);
}
