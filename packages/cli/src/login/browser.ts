import { spawn } from 'node:child_process';

/** Whether the user would see a browser that is opened from here: not over SSH, not without a display. */
export function canOpenBrowser(environment: NodeJS.ProcessEnv, platform = process.platform): boolean {
  if (environment.SSH_CONNECTION && !environment.DISPLAY) return false;
  if (platform === 'linux') return Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY);
  return true;
}

/** Returns the program that opens an address, with its arguments; none of them goes through a shell. */
export function browserCommand(address: string, platform = process.platform): [string, string[]] {
  if (platform === 'darwin') return ['open', [address]];
  if (platform === 'win32') return ['rundll32', ['url.dll,FileProtocolHandler', address]];
  return ['xdg-open', [address]];
}

/** Opens an http or https address; returns whether a program was started. */
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
