import pino, { type Logger } from 'pino';
import type { Configuration } from '../configuration/configuration.ts';
import { LogStream } from './log-stream.ts';
import { TerminalLog } from './terminal-log.ts';

const STDERR = 2;

/**
 * Creates the log: JSON lines on stderr, or short lines on a terminal. It contains paths and ids, but never queries,
 * headers or bodies, so no token, share token or signature.
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
