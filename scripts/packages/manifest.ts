/** The fields of a `package.json` that publishing changes. */
export interface Manifest {
  name: string;
  version: string;
  exports?: Record<string, string>;
  dependencies?: Record<string, string>;
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

/** Returns the `package.json` to publish, whose entries are the built files, without development dependencies. */
export function publishedManifest({ devDependencies: _, exports, ...manifest }: Manifest): PublishedManifest {
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

function builtEntry(source: string): BuiltEntry {
  const path = source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '');
  return { types: `${path}.d.ts`, default: `${path}.js` };
}
