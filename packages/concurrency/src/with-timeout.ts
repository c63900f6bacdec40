/**
 * Resolves as `promise` does, or after `milliseconds` to what `late` returns, unless that throws. The work behind
 * `promise` continues.
 */
export async function withTimeout<Value, Late = Value>(
  promise: Promise<Value>,
  milliseconds: number,
  late: () => Late,
): Promise<Value | Late> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, milliseconds);
  try {
    return await Promise.race([promise, over.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
