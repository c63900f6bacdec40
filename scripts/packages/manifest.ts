/** A `package.json`, as far as publishing changes it. */
export interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  devDependencies?: Record<string, string>;
  [field: string]: unknown;
}

/** What `package.json` says in the registry: the entries are what was built, and nothing is for development. */
export function publishedManifest({ devDependencies: _, exports, ...manifest }: Manifest): object {
  return {
    ...manifest,
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

function builtEntry(source: string): { types: string; default: string } {
  const path = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}
