import { spawn } from 'node:child_process';

/** Whether a browser opened from here would appear before the person: not over SSH, not without a display. */
export function canOpenBrowser(environment: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (environment.SSH_CONNECTION && !environment.DISPLAY) return false;
  if (platform === 'linux') return Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return true;
}

/** The program that opens an address, with its arguments; none of them goes through a shell. */
export function browserCommand(address: string, platform = process.platform): [string, string[]] {
  if (platform === 'darwin') return ['open', [address]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}

/** Opens an http or https address; answers whether a program took it. */
export async function openBrowser(address: string): Promise<boolean> {
  if (!/^https?:\/\//.test(address)) return false;
  const [program, args] = browserCommand(address);
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  const started = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  child.unref();
  return started;
}
