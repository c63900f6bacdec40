/*
 * Object URLs of the frame. Libraries read them with `fetch`, which the policies of hosts of agents do not allow for
 * them, so `fetch` answers with their content here, without a request.
 */

const contents = new Map<string, Blob>();
const request = globalThis.fetch;

globalThis.fetch = async (input, options) => {
  const content = contents.get(input instanceof Request ? input.url : String(input));
  return content === undefined ? request(input, options) : new Response(content);
};

export function createObjectUrl(content: Blob): string {
  const url = URL.createObjectURL(content);
  contents.set(url, content);
  return url;
}

export function revokeObjectUrl(url: string): void {
  contents.delete(url);
  URL.revokeObjectURL(url);
}
