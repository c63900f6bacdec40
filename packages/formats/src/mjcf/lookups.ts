import type { MjModel } from '@mujoco/mujoco';

/** Reads a name of a model; empty for what has none. `addresses` is its `name_…adr` of the kind of thing. */
export function nameOf(model: MjModel, addresses: unknown, id: number): string {
  const names = model.names as ArrayLike<number>;
  const start = (addresses as ArrayLike<number>)[id] ?? 0;
  let end = start;
  while (end < names.length && names[end] !== 0) end++;
  return new TextDecoder().decode(
    Uint8Array.from({ length: end - start }, (_, at) => names[start + at] ?? 0),
  );
}

/** Whether the range of a joint is its limits. `jnt_limited` itself has a type that the WebAssembly build cannot hand out as a table. */
export function isLimited(model: MjModel, joint: number): boolean {
  const accessor = model.jnt(joint);
  const limited = Boolean(accessor.limited);
  accessor.delete();
  return limited;
}
