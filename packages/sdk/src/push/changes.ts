import { hash } from 'node:crypto';
import type { Manifest, ManifestChanges } from '@bindery/contract';
import { LIMITS, manifestText } from '@bindery/contract/wire';
import { canonicalJson } from '../library/manifest.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { asHeld, sameAsset } from './plan.ts';

/** Smaller manifests, in characters, are sent whole. */
const MIN_MANIFEST = 64 * 1_024;

/** What turns the manifest of a library into the next one, which a service can make of it. */
export interface ComposedNext {
  changes: ManifestChanges;
  /** Of the bytes that the service makes. */
  sha256: string;
}

/** Like `changesTo`; also null if the manifest is better sent whole. */
export function changesSince(
  base: RemoteLibrary,
  manifest: Manifest,
  text = manifestText(asHeld(manifest, base.manifest)),
): ComposedNext | null {
  const next = changesTo(base, manifest, text);
  if (next === null) return null;
  const isSmaller = JSON.stringify(next.changes).length < Math.min(text.length, LIMITS.jsonBody);
  return text.length < MIN_MANIFEST || !isSmaller ? null : next;
}

/**
 * Returns how a manifest differs from the one that it follows; null if that is more than a request holds. `text` is that of
 * the manifest as held by the library (`asHeld`), which is what a service makes of the changes.
 */
export function changesTo(
  base: RemoteLibrary,
  manifest: Manifest,
  text = manifestText(asHeld(manifest, base.manifest)),
): ComposedNext | null {
  const before = new Map(base.manifest.assets.map((asset) => [asset.id, asset]));
  const assets = manifest.assets.filter((asset) => {
    const earlier = before.get(asset.id);
    return earlier === undefined || !sameAsset(earlier, asset);
  });
  const ids = new Set(manifest.assets.map(({ id }) => id));
  const removed = [...before.keys()].filter((id) => !ids.has(id));
  if (Math.max(assets.length, removed.length) > LIMITS.changes.max) return null;
  const [paths, earlierPaths] = [new Set(manifest.generated), new Set(base.manifest.generated)];
  const isSameLibrary = canonicalJson(base.manifest.library ?? {}) === canonicalJson(manifest.library ?? {});
  const changes: ManifestChanges = {
    base: base.manifestSha256,
    ...(isSameLibrary ? {} : { library: manifest.library ?? null }),
    assets,
    removed,
    generated: {
      added: [...paths.difference(earlierPaths)],
      removed: [...earlierPaths.difference(paths)],
    },
  };
  return { changes, sha256: hash('sha256', text) };
}
