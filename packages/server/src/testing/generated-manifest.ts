import { hash } from 'node:crypto';
import { LIMITS, MANIFEST_SCHEMA } from '@bindery/contract';

/** One file of the generated tree: its path depends on its number, its content on number and generation. */
export interface GeneratedFile {
  path: string;
  content: Buffer;
  sha256: string;
}

const GENERATED_ASSETS = LIMITS.manifest.assets;
const FILES_PER_ASSET = 18;

/** The number of files of the largest manifest. */
export const FILE_COUNT = GENERATED_ASSETS * FILES_PER_ASSET;

export function generateFile(number: number, generation: number): GeneratedFile {
  const asset = Math.floor(number / FILES_PER_ASSET);
  const content = Buffer.from(`${number}:${generation}`);
  return {
    path: `a${asset}/f${number % FILES_PER_ASSET}.o`,
    content,
    sha256: hash('sha256', content),
  };
}

/**
 * Generates a manifest of 50,000 assets and 900,000 files, close to 100 MiB. `generationOf` determines each file's
 * content, and thereby in how many files two manifests differ.
 */
export function generateManifest(generationOf: (number: number) => number): Buffer {
  const chunks: string[] = [`{"schema":"${MANIFEST_SCHEMA}","library":{"title":"Largest"},"assets":[`];
  for (let asset = 0; asset < GENERATED_ASSETS; asset++) {
    const files: string[] = [];
    for (let file = 0; file < FILES_PER_ASSET; file++) {
      const number = asset * FILES_PER_ASSET + file;
      const { path, content, sha256 } = generateFile(number, generationOf(number));
      files.push(`{"path":"${path}","size":${content.length},"sha256":"${sha256}"}`);
    }
    const card = `"id":"a${asset}","title":"Asset ${asset}","kind":"mesh","tags":["t${asset % 97}"]`;
    chunks.push(`${asset > 0 ? ',' : ''}{${card},"files":[${files.join(',')}]}`);
  }
  chunks.push(']}');
  return Buffer.from(chunks.join(''));
}
