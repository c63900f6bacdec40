/** The last segment of a path: `arm/scene.xml` → `scene.xml`. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folder of a path with its closing slash, empty at the root: `arm/scene.xml` → `arm/`. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The extension in lower case without its dot, empty if there is none: `T12.URDF` → `urdf`. */
export function extensionOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** The name without its last extension: `arm/T12.orig.URDF` → `T12.orig`. */
export function stemOf(path: string): string {
  const name = baseName(path);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? name : name.slice(0, dot);
}

export function depthOf(path: string): number {
  let depth = 0;
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) depth++;
  return depth;
}

/** The deepest folder that contains all the paths, with its closing slash; empty for the root. */
export function commonFolder(paths: readonly string[]): string {
  let common = folderOf(paths[0] ?? '');
  for (const path of paths) {
    while (!path.startsWith(common)) common = folderOf(common.slice(0, -1));
  }
  return common;
}
