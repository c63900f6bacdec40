/**
 * Settles as `work` does or, after this many milliseconds, as `late` does. The work then goes on, and its failure goes
 * unnoticed.
 */
export async function withTimeout<Result, Late = never>(
  work: Promise<Result>,
  milliseconds: number,
  late: () => Late,
): Promise<Result | Late> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(timeout.resolve, milliseconds);
  work.catch(() => {});
  try {
    return await Promise.race([work, timeout.promise.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
