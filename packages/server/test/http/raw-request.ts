import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Sends bytes that no HTTP client would, and answers everything that came back until the server hung up. */
export async function sendRaw(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}
