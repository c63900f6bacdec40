import { request as openRequest } from 'node:http';

/** A PUT whose sender decides when each byte leaves. */
export interface ManualPut {
  send(bytes: Uint8Array): Promise<void>;
  /** The status of the answer, or null where the connection was cut before one came. */
  readonly status: Promise<number | null>;
  /** Leaves without having sent the rest. */
  cut(): void;
}

/** Sends the head of a PUT of `size` bytes and holds its body back. */
export function startManualPut(url: string, size: number): ManualPut {
  const request = openRequest(url, { method: 'PUT', headers: { 'content-length': size }, agent: false });
  const status = new Promise<number | null>((resolve) => {
    request.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? null);
    });
    request.once('close', () => resolve(null));
    request.on('error', () => resolve(null));
  });
  request.flushHeaders();
  return {
    status,
    send: (bytes) => new Promise((resolve) => request.write(bytes, () => resolve())),
    cut: () => request.destroy(),
  };
}
