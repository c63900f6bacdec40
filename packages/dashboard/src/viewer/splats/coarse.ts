import { PackedSplats, SplatMesh } from '@sparkjsdev/spark';

/** So many splats a processor draws at once. */
const FEW = 20_000;

/** Of every so many splats one stands for all of them. */
const SHARE = 12;

/** A splat that stands for others is so many times as large along each axis; their area would be its own 3.5 times over. */
const GROWTH = 2;

/** Some of the splats, enlarged, as a first picture of all of them; null where these are few or cannot be read. */
export function coarseSplats(splats: SplatMesh): SplatMesh | null {
  const all = splats.packedSplats;
  if (all === undefined || all.numSplats <= FEW) return null;
  const some = new PackedSplats({ maxSplats: Math.ceil(all.numSplats / SHARE) });
  for (let at = 0; at < all.numSplats; at += SHARE) {
    const { center, scales, quaternion, opacity, color } = all.getSplat(at);
    some.pushSplat(center, scales.multiplyScalar(GROWTH), quaternion, opacity, color);
  }
  const coarse = new SplatMesh({ packedSplats: some });
  coarse.quaternion.copy(splats.quaternion);
  return coarse;
}
