import { PackedSplats, SplatMesh } from '@sparkjsdev/spark';

/** As many splats as a CPU draws without a coarse version. */
const FEW = 20_000;

/** One in this many splats is drawn in the coarse version. */
const SHARE = 12;

/** The factor by which the remaining splats grow along each axis. Keeping their total area would take about 3.5. */
const GROWTH = 2;

/** Returns some of the splats, enlarged, as a preview of all of them; null if these are few or cannot be read. */
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
