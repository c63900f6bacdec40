/** The same endless row of numbers of about normal distribution, mean 0 and deviation 1, for the same seed. */
export function normalNumbers(seed: number): () => number {
  const uniform = uniformNumbers(seed);
  return () => {
    // The sum of twelve uniform numbers has deviation 1.
    let sum = -6;
    for (let count = 0; count < 12; count++) sum += uniform();
    return sum;
  };
}

/** Numbers from 0 up to 1: Marsaglia's 32-bit xorshift (2003). */
function uniformNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
