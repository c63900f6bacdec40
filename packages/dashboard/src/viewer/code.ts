/** Reads a file of the frame's own code by its name below `/app/assets/`, through the app: the frame has no network. */
export type ReadCode = (name: string) => Promise<ArrayBuffer | undefined>;

/** Returns the bytes of a file of the frame's code by its URL in the build. */
export async function codeFile(readCode: ReadCode, url: string): Promise<ArrayBuffer> {
  const bytes = await readCode(url.slice(url.lastIndexOf('/') + 1));
  if (bytes === undefined) throw new Error(`no file of the viewer: ${url}`);
  return bytes;
}
