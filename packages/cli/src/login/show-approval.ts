import { spawn } from 'node:child_process';
import type { PendingLogin } from '@bindery/sdk';
import type { Output } from '../output/output.ts';
import { sanitizeLine } from '../output/text.ts';

/** Prints the code and where to approve it on stderr, and opens the page if there is a browser and a person. */
export async function showApproval(
  pending: PendingLogin,
  options: { output: Output; environment: NodeJS.ProcessEnv; browser: boolean },
): Promise<void> {
  const { output, environment, browser } = options;
  const onTerminal = output.streams.stderr.isTTY === true;
  const address = sanitizeLine(pending.verificationUriComplete);
  if (onTerminal) output.prompt(await drawQrCode(address));
  output.prompt(`Code:  ${output.style('bold', sanitizeLine(pending.userCode), 'stderr')}`);
  output.prompt(`Open:  ${address}`);
  const opened = browser && onTerminal && canOpenBrowser(environment) && (await openBrowser(address));
  const where = opened ? 'in the browser window' : 'there';
  const minutes = Math.max(1, Math.round((pending.expiresAt - Date.now()) / 60_000));
  output.prompt(
    `Compare the code ${where} and approve it. Waiting up to ${minutes} minutes; Ctrl-C cancels.`,
  );
}

async function drawQrCode(address: string): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr');
  return renderUnicodeCompact(address);
}

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
  // A browser that is started here keeps its environment for as long as it runs.
  const { BINDERY_TOKEN: _, ...env } = process.env;
  const child = spawn(program, args, { env, stdio: 'ignore', detached: true });
  const started = await new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
  });
  child.unref();
  return started;
}
