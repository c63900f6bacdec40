import type { Geometry } from '../../scene.ts';

/** Texture coordinates that cover each side once: along the two axes in which its normal is shortest. */
export function withBoxUvs(geometry: Geometry): Geometry {
  const { positions, normals } = geometry;
  const reach = [0, 1, 2].map((axis) => {
    let max = 1e-9;
    for (let at = axis; at < positions.length; at += 3)
      max = Math.max(max, Math.abs(positions[at] as number));
    return max;
  });
  const uvs = new Float32Array((positions.length / 3) * 2);
  for (let vertex = 0; vertex < positions.length / 3; vertex++) {
    const of = (values: Float32Array, axis: number) => values[vertex * 3 + axis] as number;
    const along = [0, 1, 2].toSorted(
      (a, b) => Math.abs(of(normals, b)) - Math.abs(of(normals, a)),
    )[0] as number;
    const [u, v] = along === 2 ? [0, 1] : along === 1 ? [0, 2] : [1, 2];
    uvs[vertex * 2] = 0.5 + of(positions, u as number) / (2 * (reach[u as number] as number));
    uvs[vertex * 2 + 1] = 0.5 - of(positions, v as number) / (2 * (reach[v as number] as number));
  }
  return { ...geometry, uvs };
}
