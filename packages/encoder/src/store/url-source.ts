import { DESCRIPTION_FILE, LARGEST_DESCRIPTION, parseDescription } from '../description.ts';
import { type HttpGet, HttpSource, resolveUrl } from './http.ts';
import type { ModelSource } from './source.ts';

/** Reads the files of a model below a URL: `<base>/model.json` and what it lists. */
export function urlSource(base: string, get: HttpGet): ModelSource {
  const http = new HttpSource(get);
  let files = base;
  return {
    async describe() {
      const url = resolveUrl(base, DESCRIPTION_FILE);
      const { bytes } = await http.read(url, LARGEST_DESCRIPTION);
      const description = parseDescription(bytes, url);
      files = description.url ?? base;
      return description;
    },
    copy: (file, part, offset, arrived) =>
      http.copy(resolveUrl(files, file.name), file, part, offset, arrived),
  };
}
