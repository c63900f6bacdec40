import { parentPort, threadId, workerData } from 'node:worker_threads';
import { move } from 'piscina';

export type EchoTask =
  | { kind: 'echo'; text: string }
  | { kind: 'echo twice'; text: string }
  | { kind: 'fail'; message: string }
  | { kind: 'spin' }
  | { kind: 'exhaust memory' }
  | { kind: 'fill'; shared: SharedArrayBuffer }
  | { kind: 'double'; bytes: Uint8Array }
  | { kind: 'wait'; gate: SharedArrayBuffer }
  | { kind: 'worker data' }
  | { kind: 'thread' };

export default function work(task: EchoTask): unknown {
  switch (task.kind) {
    case 'echo':
      return task.text;
    case 'echo twice':
      parentPort?.postMessage({ taskId: 1, result: 'stray', error: null });
      parentPort?.postMessage('stray');
      return task.text;
    case 'fail':
      throw new Error(task.message);
    case 'spin':
      for (;;);
    case 'exhaust memory':
      // Large arrays go to the old heap at once, where V8 ends the thread; many small ones may abort the process.
      for (const held: number[][] = []; ; ) held.push(new Array(100_000).fill(1.5));
    case 'fill':
      return new Uint8Array(task.shared).fill(7).length;
    case 'double':
      return move(task.bytes.map((byte) => byte * 2));
    case 'wait':
      // Says that it runs, then waits to be let on.
      Atomics.add(new Int32Array(task.gate), 1, 1);
      Atomics.notify(new Int32Array(task.gate), 1);
      Atomics.wait(new Int32Array(task.gate), 0, 0);
      return 'let on';
    case 'worker data':
      return workerData;
    case 'thread':
      return threadId;
  }
}
