import './viewer.css';
import { VIEWER_PORT, VIEWER_READY } from '../viewer-protocol.ts';
import { Frame } from './frame.ts';

addEventListener('message', ({ data, source, ports: [port] }) => {
  if (data === VIEWER_PORT && source === parent && port !== undefined) new Frame(port);
});
// The page around this frame checks who it is that speaks; its own origin is not known here.
parent.postMessage(VIEWER_READY, '*');
