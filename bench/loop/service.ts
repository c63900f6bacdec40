import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { fetch, type RequestInit } from 'undici';
import { nextMessage } from '../next-message.ts';
import type { EventLoopDelays } from './event-loop-meter.ts';

const PROCESS = fileURLToPath(new URL('./service-process.ts', import.meta.url));

/** Commands for the process of the service. */
export type ServiceCommand = 'begin' | 'end' | 'remove-abandoned' | 'stop';

/** The service in a separate process, which measures its event loop. */
export class MeasuredService {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #token: string;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.url = url;
    this.#token = token;
  }

  static async start(
    dataDir: string,
    token: string,
    environment: Record<string, string>,
  ): Promise<MeasuredService> {
    const child = fork(PROCESS, {
      env: {
        ...process.env,
        BINDERY_DATA_DIR: dataDir,
        BINDERY_PORT: '0',
        BINDERY_LOG_LEVEL: 'silent',
        BINDERY_ENCODER: 'off',
        ...environment,
      },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    return new MeasuredService(child, await valueFrom<string>(child), token);
  }

  /** Runs `work` and returns how long it blocked the service's event loop. */
  async measure(work: () => Promise<unknown>): Promise<EventLoopDelays> {
    await this.sendCommand('begin');
    await work();
    return this.sendCommand('end');
  }

  sendCommand<Answer>(order: ServiceCommand): Promise<Answer> {
    this.#child.send(order);
    return valueFrom<Answer>(this.#child);
  }

  /** Sends a request and reads the whole response. Throws if the status is not the expected one. */
  async send(
    method: string,
    path: string,
    {
      body,
      headers,
      expected = 200,
    }: { body?: RequestInit['body']; headers?: object; expected?: number | 'any' } = {},
  ): Promise<Buffer> {
    const answer = await fetch(new URL(path, this.url), {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        'content-type': 'application/json',
        'accept-encoding': 'identity',
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (expected === 'any' || answer.status === expected) return bytes;
    throw new Error(
      `${method} ${path.slice(0, 100)} answered ${answer.status}: ${bytes.toString('utf8', 0, 300)}`,
    );
  }

  async stop(): Promise<void> {
    this.#child.send('stop');
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}

async function valueFrom<Value>(child: ChildProcess): Promise<Value> {
  const { value } = await nextMessage<{ value: Value }>(child);
  return value;
}
