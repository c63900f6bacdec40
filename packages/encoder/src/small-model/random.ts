/** Generates about normally distributed numbers, mean 0 and deviation 1; the same sequence for the same seed. */
export function normalNumbers(seed: number): () => number {
  const uniform = uniformNumbers(seed);
  return () => {
    // The sum of twelve uniform numbers has deviation 1.
    let sum = -6;
    for (let count = 0; count < 12; count++) sum += uniform();
    return sum;
  };
}

/** Generates uniform numbers between 0 and 1: Marsaglia's 32-bit xorshift (2003). */
function uniformNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
