/*
 * Questions to another thread or document. Each takes a port with it, on which its answer comes back.
 */

type Answer<Value> = { readonly value: Value } | { readonly failure: unknown };

/** Sends a question, and returns its answer. `toError` makes an error of what the other side says of its own. */
export function ask<Value>(
  to: Pick<MessagePort, 'postMessage'>,
  question: unknown,
  toError: (failure: never) => Error = (message: string) => new Error(message),
): Promise<Value> {
  const { port1: ours, port2: theirs } = new MessageChannel();
  const answered = Promise.withResolvers<Value>();
  ours.onmessage = ({ data }: MessageEvent<Answer<Value>>) => {
    ours.close();
    if ('value' in data) answered.resolve(data.value);
    else answered.reject(toError(data.failure as never));
  };
  to.postMessage(question, [theirs]);
  return answered.promise;
}

/** Answers a question on its port with what `find` returns, whose buffers are transferred, or with why it fails. */
export async function answer(
  port: MessagePort,
  find: () => Promise<unknown>,
  toFailure: (error: unknown) => unknown = messageOf,
): Promise<void> {
  try {
    const value = await find();
    port.postMessage({ value }, buffersIn(value));
  } catch (error) {
    port.postMessage({ failure: toFailure(error) });
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the buffers within a value, and those of its typed arrays. */
export function buffersIn(message: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const seen = new Set<object>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (value instanceof ArrayBuffer) buffers.add(value);
    else if (ArrayBuffer.isView(value)) visit(value.buffer);
    else if (value instanceof Map || Array.isArray(value)) for (const one of value.values()) visit(one);
    else for (const one of Object.values(value)) visit(one);
  };
  visit(message);
  return [...buffers];
}
