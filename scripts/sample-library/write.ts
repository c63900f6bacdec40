import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SAMPLE_ASSETS, type SampleAsset } from './assets.ts';

/** Writes the sample library: a folder per asset, and metadata in `bindery.yml`. The output is deterministic. */
export async function writeSampleLibrary(folder: string): Promise<{ assets: number; files: number }> {
  const files = SAMPLE_ASSETS.flatMap(({ id, files }) =>
    Object.entries(files).map(([path, content]) => ({ path: join(id, path), content })),
  );
  for (const { path, content } of [...files, { path: 'bindery.yml', content: curation() }]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return { assets: SAMPLE_ASSETS.length, files: files.length };
}

function curation(): string {
  return `library:
  title: Workshop samples
  description: Props, parts and small robots, generated from a few lines of geometry.
  provider: Bindery
  license: Apache-2.0
  tags: [sample, workshop]
assets:
${SAMPLE_ASSETS.map(curatedAsset).join('')}`;
}

function curatedAsset({ id, title, description, category, tags }: SampleAsset): string {
  return `  ${id}:
    title: ${JSON.stringify(title)}
    description: ${JSON.stringify(description)}
    category: ${category}
    tags: [${tags.join(', ')}]
`;
}
