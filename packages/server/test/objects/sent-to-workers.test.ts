import { randomBytes } from 'node:crypto';
import { MessagePort } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openTestDiskStore } from './stores.ts';

const HASH_BYTES = 32;

/** The memory that lies behind all views in a value: what is posted takes all of it along. */
function memoryBehind(value: unknown): number {
  if (ArrayBuffer.isView(value)) return value.buffer.byteLength;
  if (value === null || typeof value !== 'object') return 0;
  return Object.values(value).reduce((sum: number, part: unknown) => sum + memoryBehind(part), 0);
}

test('a worker that looks up contents is sent only their bytes, and the index they are part of stays intact', async () => {
  const { store, close } = await openTestDiskStore();
  onTestFinished(close);
  let sent = 0;
  const post = MessagePort.prototype.postMessage;
  const spy = vi.spyOn(MessagePort.prototype, 'postMessage').mockImplementation(function (
    this: MessagePort,
    value: unknown,
    ...rest
  ) {
    sent += memoryBehind(value);
    return post.call(this, value, ...rest);
  });
  onTestFinished(() => spy.mockRestore());
  const index = Buffer.allocUnsafeSlow(8 * 1024 * 1024);
  const count = 100;
  const hashes = index.subarray(4_096, 4_096 + count * HASH_BYTES).fill(randomBytes(HASH_BYTES));
  const sizes = new Float64Array(index.buffer, 1024 * 1024, count).fill(7);

  const absent = await store.findAbsent('lab', { hashes, sizes });

  expect(absent).toHaveLength(count);
  // The pool sends a few numbers of its own.
  expect(sent).toBeLessThan(2 * count * (HASH_BYTES + Float64Array.BYTES_PER_ELEMENT));
  expect(index.buffer.byteLength).toBe(8 * 1024 * 1024);
});
