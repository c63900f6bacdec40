import { relative, sep } from 'node:path';
import type { Plugin } from 'vite';
import { dashboardInputs, PACKAGES } from '../scripts/inputs.ts';

/** Fails the build if it bundles a module of these packages whose changes would not trigger a rebuild. */
export function onlyInputs(): Plugin {
  const inputs = new Set(dashboardInputs());
  return {
    name: 'only-inputs',
    buildEnd() {
      const modules = [...this.getModuleIds()].map((id) => id.replace(/\?.*$/, ''));
      const ours = modules.filter((id) => id.startsWith(PACKAGES) && !id.includes('node_modules'));
      const missing = ours
        .map((id) => relative(PACKAGES, id).replaceAll(sep, '/'))
        .filter((id) => !inputs.has(id));
      if (missing.length > 0) throw new Error(`no input of the build, but part of it: ${missing.join(', ')}`);
    },
  };
}
