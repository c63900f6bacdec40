import './viewer.css';
import type { ReadCode } from './code.ts';
import { Frame } from './frame.ts';

/** Opens the asset that is sent through the port. */
export function start(port: MessagePort, readCode: ReadCode): void {
  new Frame(port, readCode);
}
