import type { Plugin } from 'vite';

const OWN_URL = /new URL\( '\.\.\/libs\/draco\/[^']+', import\.meta\.url \)\.toString\(\)/g;

/**
 * Removes the URLs of the decoder files from three's Draco loader. The frame fetches nothing, so it sets the URLs of
 * the two files that it uses, of five. The build fails if the loader's code is not as expected.
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
