import type { Plugin } from 'vite';

const OWN_URL = /new URL\( '\.\.\/libs\/draco\/[^']+', import\.meta\.url \)\.toString\(\)/g;

/**
 * Takes from three's loader of Draco the URLs of its decoders. The frame fetches nothing, so it tells the loader where they
 * are; of the five that the loader names, it uses two. The build fails where the loader no longer looks as expected.
 */
export function dracoWithoutUrls(): Plugin {
  return {
    name: 'draco-without-urls',
    enforce: 'pre',
    transform(code, id) {
      if (!id.replaceAll('\\', '/').endsWith('/loaders/DRACOLoader.js')) return null;
      const patched = code.replaceAll(OWN_URL, "''");
      if (patched === code || patched.includes('import.meta'))
        throw new Error('the DRACOLoader of three names its decoders in a new way');
      return { code: patched, map: null };
    },
  };
}
