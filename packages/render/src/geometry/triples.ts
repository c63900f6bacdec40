/** Which triples in a table are equal. */
export interface DistinctTriples {
  /** For each triple, the number of its value, from 0 in order of first occurrence. */
  readonly of: Uint32Array;
  /** For each value, the first triple that has it. */
  readonly firsts: Uint32Array;
}

/** Numbers the distinct values among rows of three 32-bit words, using an open-addressing hash table. */
export function distinctTriples(words: Uint32Array): DistinctTriples {
  const rows = Math.floor(words.length / 3);
  const size = 2 ** Math.ceil(Math.log2(Math.max(2, rows * 2)));
  const table = new Int32Array(size).fill(-1);
  const of = new Uint32Array(rows);
  const firsts = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) {
    const x = words[row * 3] as number;
    const y = words[row * 3 + 1] as number;
    const z = words[row * 3 + 2] as number;
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca6b) ^ Math.imul(z, 0xc2b2ae35);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    let slot = (hash ^ (hash >>> 13)) & (size - 1);
    for (;;) {
      const value = table[slot] as number;
      if (value < 0) {
        table[slot] = count;
        of[row] = count;
        firsts[count++] = row;
        break;
      }
      const first = (firsts[value] as number) * 3;
      if (words[first] === x && words[first + 1] === y && words[first + 2] === z) {
        of[row] = value;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return { of, firsts: firsts.slice(0, count) };
}
