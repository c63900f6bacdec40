import { effectiveLicense } from '@bindery/contract/wire';
import parse from 'spdx-expression-parse';
import { ConflictError, sentenceWithPaths } from '../failures.ts';
import { findAsset } from '../library/manifest.ts';
import { ASSETS_FILE } from './assets-file.ts';
import type { Lock } from './lock.ts';
import type { LibraryRevision } from './resolve-uses.ts';

/** Throws `ConflictError` with the assets of a lock whose licences the project refuses, if there are any. */
export function refuseDeniedLicenses(
  denied: readonly string[],
  lock: Lock,
  revisions: ReadonlyMap<string, LibraryRevision>,
): void {
  if (denied.length === 0) return;
  const refused = lock.assets.flatMap(({ library, asset: id }) => {
    const manifest = revisions.get(library)?.manifest;
    const asset = manifest && findAsset(manifest, id);
    const license = asset && effectiveLicense(asset, manifest.library);
    return license && isDenied(license, denied) ? [`${library}/${id} (${license})`] : [];
  });
  if (refused.length > 0) {
    throw new ConflictError(
      sentenceWithPaths(`${ASSETS_FILE} refuses the licences of these assets; nothing was written:`, refused),
      refused,
    );
  }
}

/**
 * Whether a licence offers no choice without a denied one: `MIT OR GPL-3.0-only` is denied only if both are. Text that
 * is not an SPDX expression is compared as it is, ignoring letter case.
 */
export function isDenied(license: string, denied: readonly string[]): boolean {
  const names = new Set(denied.map((name) => name.toLowerCase()));
  try {
    return isExpressionDenied(parse(license), names);
  } catch {
    return names.has(license.trim().toLowerCase());
  }
}

function isExpressionDenied(expression: ReturnType<typeof parse>, denied: ReadonlySet<string>): boolean {
  if ('conjunction' in expression) {
    const sides = [isExpressionDenied(expression.left, denied), isExpressionDenied(expression.right, denied)];
    return expression.conjunction === 'or' ? sides.every(Boolean) : sides.some(Boolean);
  }
  const { license, plus, exception } = expression;
  const names = [
    license,
    plus ? `${license}+` : license,
    exception ? `${license} WITH ${exception}` : license,
  ];
  return names.some((name) => denied.has(name.toLowerCase()));
}
