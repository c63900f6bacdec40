import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the paths that are missing from one of two folders, or whose bytes differ. */
export async function differences(left: string, right: string): Promise<string[]> {
  const [leftFiles, rightFiles] = await Promise.all([readTree(left), readTree(right)]);
  const paths = new Set([...leftFiles.keys(), ...rightFiles.keys()]);
  return [...paths].filter((path) => {
    const [a, b] = [leftFiles.get(path), rightFiles.get(path)];
    return a === undefined || b === undefined || !a.equals(b);
  });
}

async function readTree(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const);
  return new Map(await Promise.all(read));
}
