/** The fields of a `package.json` that publishing changes. */
export interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** A `package.json` as it is published. */
export interface PublishedManifest extends Omit<Manifest, 'exports' | 'devDependencies'> {
  exports?: Record<string, BuiltEntry | string>;
}

interface BuiltEntry {
  types: string;
  default: string;
}

/**
 * Returns the `package.json` to publish, whose entries are the built files, without development dependencies. Optional
 * parts must have the same version; the clone leaves that open, or every release would count as a breaking change.
 */
export function publishedManifest({
  devDependencies: _,
  exports,
  peerDependencies,
  ...manifest
}: Manifest): PublishedManifest {
  return {
    ...manifest,
    ...(peerDependencies && { peerDependencies: pinned(peerDependencies, manifest.version) }),
    ...(exports && {
      exports: {
        ...Object.fromEntries(Object.entries(exports).map(([path, source]) => [path, builtEntry(source)])),
        './package.json': './package.json',
      },
    }),
    files: ['bin', 'dist', 'NOTICE'],
    publishConfig: { access: 'public' },
  };
}

function pinned(dependencies: Record<string, string>, version: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(dependencies).map(([name, range]) => [
      name,
      name.startsWith('@bindery/') ? version : range,
    ]),
  );
}

function builtEntry(source: string): BuiltEntry {
  const path = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}
