import { join } from 'node:path';
import { z } from 'zod';
import { readIfThere, setAside, writePrivateFile } from './private-files.ts';

const schema = z.looseObject({
  remote_url: z.string().optional(),
  auth_url: z.string().optional(),
  api_key: z.string().optional(),
  device_secret: z.string().optional(),
  /** The server that the stored login belongs to; written by the login. */
  login_url: z.string().optional(),
});

/** The user's `config.json`. Keys that this version does not know are kept as they are. */
export type Config = z.infer<typeof schema>;

/** What was read, and in `damage` why the file could not be, if it could not. */
export interface ReadConfig {
  config: Config;
  damage: string | null;
}

export function configPath(folder: string): string {
  return join(folder, 'config.json');
}

export async function readConfig(folder: string): Promise<ReadConfig> {
  const path = configPath(folder);
  const text = await readIfThere(path);
  if (text === null) return { config: {}, damage: null };
  try {
    const parsed = schema.safeParse(JSON.parse(text.replace(/^\uFEFF/, '')));
    if (parsed.success) return { config: parsed.data, damage: null };
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `"${issue.path.join('.')}"` : 'the whole';
    return { config: {}, damage: `${path} is damaged: ${where} must be ${wanted(issue?.path.length ?? 0)}.` };
  } catch {
    return { config: {}, damage: `${path} is damaged: it is not JSON.` };
  }
}

function wanted(depth: number): string {
  return depth === 0 ? 'an object' : 'text';
}

/**
 * Changes keys of the file; `undefined` removes one. A damaged file is renamed first and `warn` told where it is now.
 */
export async function updateConfig(
  folder: string,
  changes: Partial<Config>,
  warn: (text: string) => void,
): Promise<void> {
  const path = configPath(folder);
  const { config, damage } = await readConfig(folder);
  if (damage !== null) warn(`${damage} It was kept as ${await setAside(path)}, and a new one begun.`);
  await writePrivateFile(path, `${JSON.stringify({ ...config, ...changes }, null, 2)}\n`);
}
