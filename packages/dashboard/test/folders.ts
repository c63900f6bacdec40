import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { temporaryFolder } from '../../sdk/test/folder.ts';

export async function choose(page: Page, folder: string): Promise<void> {
  await page.locator('input[webkitdirectory]').setInputFiles(folder);
}

/** Creates a folder with this name on disk. */
export function folderWith(files: Record<string, string>, name: string): string {
  const root = join(temporaryFolder(), name);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

/** Creates a folder with one sparse file of `bytes` bytes. */
export function folderWithLargeFile(bytes: number, name: string): string {
  const root = folderWith({ 'scan.ply': 'ply\n' }, name);
  truncateSync(join(root, 'scan.ply'), bytes);
  return root;
}

interface Upload {
  url: string;
  arrived: boolean;
}

/** Returns the uploads to the object store from this call on. */
export function uploadsOf(page: Page): Upload[] {
  const sent: Upload[] = [];
  page.context().on('request', async (request) => {
    if (request.method() !== 'PUT' || !request.url().includes('/storage/')) return;
    const upload: Upload = { url: request.url(), arrived: false };
    sent.push(upload);
    upload.arrived = (await request.response().catch(() => null))?.ok() ?? false;
  });
  return sent;
}
