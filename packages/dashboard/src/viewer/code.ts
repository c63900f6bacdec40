/** Reads a file of the frame's own code by its name below `/app/assets/`, through the app: the frame fetches nothing. */
export type ReadCode = (name: string) => Promise<ArrayBuffer | undefined>;

/** The bytes of a file by the URL that the build gave it. */
export async function codeFile(readCode: ReadCode, url: string): Promise<ArrayBuffer> {
  const bytes = await readCode(url.slice(url.lastIndexOf('/') + 1));
  if (bytes === undefined) throw new Error(`no file of the viewer: ${url}`);
  return bytes;
}
