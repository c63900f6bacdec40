import { scanXml } from './xml.ts';

/** Returns the name that a `package.xml` or rosbuild's `manifest.xml` gives its folder. */
export function packageNameIn(bytes: Uint8Array): string | undefined {
  let name: string | undefined;
  scanXml(bytes, {
    open() {},
    text(text, around) {
      if (around.length === 2 && around[0]?.name === 'package' && around[1]?.name === 'name') name ??= text;
    },
  });
  return name;
}

/** A file that a model of a Gazebo database can be opened with. */
export interface ModelVersion {
  readonly name?: string | undefined;
  /** Relative to its `model.config`. */
  readonly file: string;
}

/** Returns the files that a `model.config` names, those of the newest SDFormat version first. */
export function modelVersionsIn(bytes: Uint8Array): ModelVersion[] {
  const found: (ModelVersion & { version: string })[] = [];
  scanXml(bytes, {
    open() {},
    text(file, around) {
      const element = around.at(-1);
      if (element?.name !== 'sdf') return;
      const version = element.attributes.version ?? '';
      found.push({ version, name: version === '' ? undefined : `sdf-${version}`, file });
    },
  });
  return found
    .sort((a, b) => compareVersions(b.version, a.version))
    .map(({ name, file }) => ({ name, file }));
}

/** Compares versions as numbers between dots: 1.10 comes after 1.9. */
function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
