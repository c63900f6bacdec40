import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that a service takes for a built dashboard and that shows nothing; the caller's to remove. */
export async function writeEmptyDashboard(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-dashboard-'));
  await writeFile(join(folder, 'index.html'), '');
  await writeFile(join(folder, 'viewer-policy.json'), JSON.stringify({ policy: "default-src 'none'" }));
  return folder;
}
