/** A linear congruential generator (Numerical Recipes): numbers from 0 to 1, the same on every machine. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
