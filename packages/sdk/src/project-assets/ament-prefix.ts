import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { baseName, decodeText, FileIndex, folderOf, packageNameIn, resolveReference } from '@bindery/formats';
import { ConflictError } from '../failures.ts';
import { type AssetsFolder, openAssetsFolder } from './project.ts';

/** Below the folder of a project's assets; no namespace begins with a dot. */
const PREFIX = '.ros';
/** Keeps colcon from building what is in the folder, and tells that a sync made it. */
const MARK = 'COLCON_IGNORE';
const MODEL = /\.(?:urdf|xacro|sdf|world|xml)$/i;
const REFERENCE = /(?:package|model):\/\/([^/\s"'<>]+)\/([^\s"'<>]+)/g;
const PACKAGE_NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const INDEX = 'ament_index';

/** A prefix of ROS 2 with the packages of a project's assets. */
export interface AmentPrefix {
  /** What `AMENT_PREFIX_PATH` has to contain. */
  prefix: string;
  /** Sets that variable. */
  setup: string;
  /** The names of the packages. */
  packages: string[];
  /** Names that stand for several folders, of which only the first is found. */
  ambiguous: string[];
}

/**
 * Makes `package://` of a project's assets resolve in ROS 2: one folder of links for each package that the assets have
 * or refer to, and the index by which it is found. Replaces what an earlier sync made, and nothing else. Throws
 * `ConflictError` if somebody else's files are there.
 */
export function layOutAmentPrefix(target: AssetsFolder, placed: readonly string[]): AmentPrefix {
  const folder = openAssetsFolder(target, { create: true });
  const prefix = join(folder.root, PREFIX);
  const exists = folder.lstat(PREFIX) !== null;
  folder.close();
  if (exists) refuseForeign(prefix);
  const { packages, ambiguous } = packagesAmong(folder.root, placed);
  const made = `${prefix}-${randomBytes(6).toString('hex')}`;
  try {
    mkdirSync(join(made, 'share', INDEX, 'resource_index', 'packages'), { recursive: true });
    writeFileSync(join(made, MARK), 'Made by a sync of Bindery, which replaces this folder.\n');
    writeFileSync(join(made, 'setup.sh'), setupScript(prefix));
    for (const [name, source] of packages) {
      writeFileSync(join(made, 'share', INDEX, 'resource_index', 'packages', name), '');
      linkPackage(join(made, 'share', name), name, source, placed, {
        from: join(prefix, 'share', name),
        to: folder.root,
      });
    }
    rmSync(prefix, { recursive: true, force: true });
    renameSync(made, prefix);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return { prefix, setup: join(prefix, 'setup.sh'), packages: [...packages.keys()].sort(), ambiguous };
}

/** Returns the folder of each package, with a closing slash: those with a `package.xml`, and those that models name. */
function packagesAmong(root: string, placed: readonly string[]) {
  const packages = new Map<string, string>();
  const ambiguous = new Set<string>();
  const add = (name: string, folder: string) => {
    const known = packages.get(name);
    if (known !== undefined && known !== folder) ambiguous.add(name);
    else if (PACKAGE_NAME.test(name) && name !== INDEX) packages.set(name, folder);
  };
  for (const paths of Object.values(Object.groupBy(placed, libraryOf))) {
    const files = (paths ?? []).sort();
    const declared = files
      .filter((path) => baseName(path) === 'package.xml')
      .flatMap((path): [string, string][] => {
        const name = packageNameIn(readFileSync(join(root, path)));
        return name === undefined ? [] : [[name, folderOf(path)]];
      });
    for (const [name, folder] of declared) add(name, folder);
    const index = new FileIndex(files, declared);
    for (const path of files.filter((file) => MODEL.test(file))) {
      const text = decodeText(readFileSync(join(root, path)));
      for (const [reference, name = '', rest = ''] of text.matchAll(REFERENCE)) {
        const found = resolveReference(index, path, reference);
        if ('path' in found && found.path.endsWith(`/${rest}`)) add(name, found.path.slice(0, -rest.length));
      }
    }
  }
  return { packages, ambiguous: [...ambiguous].sort() };
}

/** Links what a package contains, and writes a `package.xml` if it has none. Links are relative: projects move. */
function linkPackage(
  folder: string,
  name: string,
  source: string,
  placed: readonly string[],
  { from, to }: { from: string; to: string },
): void {
  mkdirSync(folder);
  const inside = placed.filter((path) => path.startsWith(source)).map((path) => path.slice(source.length));
  for (const child of new Set(inside.map((path) => path.split('/', 1)[0] ?? path))) {
    symlinkSync(relative(from, join(to, source, child)), join(folder, child));
  }
  if (!inside.includes('package.xml'))
    writeFileSync(join(folder, 'package.xml'), packageXml(name, libraryOf(source)));
}

function libraryOf(path: string): string {
  return path.split('/', 2).join('/');
}

function refuseForeign(prefix: string): void {
  try {
    readFileSync(join(prefix, MARK));
  } catch {
    throw new ConflictError(`${prefix} was not made by a sync; move it away.`, [prefix]);
  }
}

/** Adds the prefix last, so that packages which are installed keep their names. */
function setupScript(prefix: string): string {
  const quoted = `'${prefix.replaceAll("'", "'\\''")}'`;
  return `# Made by a sync of Bindery. Source this file, so that package:// of this project's assets resolves.
case ":\${AMENT_PREFIX_PATH:-}:" in
  *:${quoted}:*) ;;
  *) export AMENT_PREFIX_PATH="\${AMENT_PREFIX_PATH:+$AMENT_PREFIX_PATH:}"${quoted} ;;
esac
`;
}

function packageXml(name: string, library: string): string {
  return `<?xml version="1.0"?>
<package format="3">
  <name>${name}</name>
  <version>0.0.0</version>
  <description>Files of ${library}</description>
  <maintainer email="nobody@example.org">nobody</maintainer>
  <license>see the library</license>
</package>
`;
}
