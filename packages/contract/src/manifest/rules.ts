import { describeReceived } from '../describe-received.ts';
import { LIMITS } from '../limits.ts';
import { Issues, type ManifestError, manifestError } from './issues.ts';
import { artifactPathProblem, userPathProblem } from './paths.ts';
import type { Manifest } from './schema.ts';

/** Checks how many assets, file entries and generated paths there are. */
export function checkCounts({ assets, generated = [] }: Manifest): ManifestError | null {
  const limits = LIMITS.manifest;
  if (assets.length > limits.assets) {
    return tooMany('manifest_too_many_assets', '/assets', 'assets', assets.length, limits.assets);
  }
  const files = assets.reduce((sum, asset) => sum + asset.files.length, 0);
  if (files > limits.files) {
    return tooMany('manifest_too_many_files', '/assets', 'file entries in all assets', files, limits.files);
  }
  if (generated.length > limits.generated) {
    const count = generated.length;
    return tooMany('manifest_too_many_generated', '/generated', 'generated paths', count, limits.generated);
  }
  return null;
}

function tooMany(code: ManifestError['code'], path: string, what: string, received: number, max: number) {
  return manifestError(code, [{ path, message: `at most ${max} ${what} (received ${received})` }]);
}

/** Checks that every path is canonical, and that only generated ones are in the reserved folder. */
export function checkPaths({ assets, generated = [] }: Manifest): ManifestError | null {
  const issues = new Issues();
  for (const [asset, { files }] of assets.entries()) {
    for (let file = 0; file < files.length && !issues.full; file++) {
      const path = files[file]?.path ?? '';
      const problem = userPathProblem(path);
      if (problem === null) continue;
      issues.add(['assets', asset, 'files', file, 'path'], `${describeReceived(path)} ${problem}`);
    }
  }
  for (const [at, path] of generated.entries()) {
    const problem = artifactPathProblem(path);
    if (problem !== null) issues.add(['generated', at], `${describeReceived(path)} ${problem}`);
  }
  return issues.asError('manifest_invalid_path');
}

/** Checks that ids are unique across the library, case-sensitively. */
export function checkIds({ assets }: Manifest): ManifestError | null {
  const issues = new Issues();
  const first = new Map<string, number>();
  for (const [at, { id }] of assets.entries()) {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, at);
    else issues.add(['assets', at, 'id'], `"${id}" is already the id of /assets/${earlier}`);
  }
  return issues.asError('manifest_duplicate_id');
}
