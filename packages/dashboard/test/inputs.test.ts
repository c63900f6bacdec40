import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dashboardInputs, PACKAGES } from '../scripts/inputs.ts';
import { onlyInputs } from '../vite/only-inputs.ts';

test('the build inputs include what the dashboard imports, and no unused modules of other packages', () => {
  const inputs = dashboardInputs();
  expect(inputs).toEqual(
    expect.arrayContaining([
      '../package-lock.json',
      'dashboard/index.html',
      'dashboard/src/viewer/main.ts',
      'dashboard/vite/viewer-document.ts',
      'contract/src/client-routes.ts',
      'sdk/src/browser/push.ts',
      'sdk/src/discovery/graph/closure.ts',
      'sdk/package.json',
    ]),
  );
  expect(inputs.filter((path) => path.startsWith('render/src/'))).not.toEqual([]);
  expect(inputs).not.toContain('sdk/src/pull/pull.ts');
  expect(inputs).not.toContain('sdk/src/cache/object-cache.ts');
  expect(inputs).not.toContain('sdk/src/credentials/find-token.ts');
});

test('a build fails if it bundles a module of another package that is not one of its inputs', () => {
  const bundled =
    (...paths: string[]) =>
    () =>
      (onlyInputs().buildEnd as (this: { getModuleIds(): Iterable<string> }) => void).call({
        getModuleIds: () => paths.map((path) => join(PACKAGES, path)),
      });
  expect(bundled('sdk/src/browser/push.ts', 'dashboard/src/viewer/main.ts?worker')).not.toThrow();
  expect(bundled('sdk/src/browser/push.ts', 'sdk/src/pull/pull.ts')).toThrow('sdk/src/pull/pull.ts');
});
