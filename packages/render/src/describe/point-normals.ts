/** Around points of unit size: several neighbours on most surfaces, and less than most bends. */
const RADIUS = 0.15;
const ROUNDS = 24;

/**
 * Estimates the normals of points that are centred and of unit size: the axis along which the points around each vary
 * least.
 */
export function estimateNormals(positions: Float32Array): Float32Array {
  const normals = new Float32Array(positions.length);
  for (let at = 0; at < positions.length; at += 3) {
    const [x = 0, y = 0, z = 0] = positions.subarray(at, at + 3);
    let xx = 0;
    let xy = 0;
    let xz = 0;
    let yy = 0;
    let yz = 0;
    let zz = 0;
    for (let near = 0; near < positions.length; near += 3) {
      const dx = (positions[near] as number) - x;
      const dy = (positions[near + 1] as number) - y;
      const dz = (positions[near + 2] as number) - z;
      if (dx * dx + dy * dy + dz * dz > RADIUS * RADIUS) continue;
      xx += dx * dx;
      xy += dx * dy;
      xz += dx * dz;
      yy += dy * dy;
      yz += dy * dz;
      zz += dz * dz;
    }
    // The largest axis of what is left of the sum of all three is the least axis of the spread.
    const sum = xx + yy + zz;
    let [nx, ny, nz] = [0.48, 0.6, 0.64];
    for (let round = 0; round < ROUNDS; round++) {
      const px = (sum - xx) * nx - xy * ny - xz * nz;
      const py = (sum - yy) * ny - xy * nx - yz * nz;
      const pz = (sum - zz) * nz - xz * nx - yz * ny;
      const length = Math.sqrt(px * px + py * py + pz * pz) || 1;
      [nx, ny, nz] = [px / length, py / length, pz / length];
    }
    normals.set([nx, ny, nz], at);
  }
  return normals;
}
