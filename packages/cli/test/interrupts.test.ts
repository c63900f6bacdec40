import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchInterrupts } from '../src/interrupts.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first Ctrl-C asks to stop, the second one stops at once', () => {
  const giveUp = vi.fn();
  const { signal, stop } = watchInterrupts(giveUp);
  process.emit('SIGINT');
  expect(signal.aborted).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(giveUp).not.toHaveBeenCalled();
  process.emit('SIGINT');
  expect(giveUp).toHaveBeenCalledOnce();
  stop();
});

test('a Ctrl-C that arrives from both the terminal and the launcher counts once', () => {
  const giveUp = vi.fn();
  const { stop } = watchInterrupts(giveUp);
  process.emit('SIGINT');
  vi.advanceTimersByTime(20);
  process.emit('SIGINT');
  expect(giveUp).not.toHaveBeenCalled();
  stop();
});
