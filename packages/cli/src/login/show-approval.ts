import type { PendingLogin } from '@bindery/sdk';
import type { Output } from '../output/output.ts';
import { sanitizeLine } from '../output/text.ts';
import { canOpenBrowser, openBrowser } from './browser.ts';

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
  const { default: qrcode } = await import('qrcode');
  return qrcode.toString(address, { type: 'terminal', small: true });
}
