import { modelVersionsIn, type NamedEntry, packageNameIn, scanXml } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './facts.ts';

/** Reads `package.xml` of ROS 1 and 2 (REP 127, 140, 149) and `manifest.xml` of rosbuild. */
export function readRosPackage(bytes: Uint8Array): FileFacts {
  const found: Record<string, string[]> = {};
  scanXml(bytes, {
    open() {},
    text(text, around) {
      const [, element] = around;
      if (element === undefined) return;
      const texts = found[element.name];
      if (texts === undefined) found[element.name] = [text];
      else texts.push(text);
    },
  });
  const authors = found.author ?? found.maintainer;
  return {
    type: 'ros-package',
    certain: true,
    references: [],
    metadata: {
      packageName: packageNameIn(bytes),
      description: found.description === undefined ? undefined : oneLine(found.description.join(' ')),
      authors,
      license: [...new Set(found.license?.filter(isLicense))].join(' AND ') || undefined,
      url: found.url?.[0],
    },
  };
}

/** Not what the generator of a package writes, nor whose it is. */
function isLicense(text: string): boolean {
  return !/^(?:todo\b|\(c\)|©|copyright\b)/i.test(text);
}

/** Reads `model.config` of a Gazebo model database. */
export function readGazeboModel(bytes: Uint8Array): FileFacts {
  const authors: string[] = [];
  let title: string | undefined;
  let description: string | undefined;
  scanXml(bytes, {
    open() {},
    text(text, around) {
      const name = around.at(-1)?.name;
      if (name === 'name' && around.at(-2)?.name === 'author') authors.push(text);
      else if (around.length !== 2) return;
      else if (name === 'name') title = text;
      else if (name === 'description') {
        description = oneLine(description === undefined ? text : `${description} ${text}`);
      }
    },
  });
  return {
    type: 'gazebo-model',
    certain: true,
    references: [],
    metadata: { title, description, authors, entries: modelVersionsIn(bytes) },
  };
}

const MAX_JSON_BYTES = 1024 * 1024;

/** Reads `metadata.json` of the glTF sample assets: name, summary, screenshot, and who holds which rights. */
export function readGltfMetadata(file: BoundedFileReader): FileFacts | null {
  const document = jsonObject(file);
  if (document === null || !Array.isArray(document.legal) || typeof document.name !== 'string') return null;
  const legal = document.legal.filter((one): one is Record<string, unknown> => isObject(one));
  const licenses = [...new Set(legal.map(({ spdx, license }) => text(spdx) ?? text(license)))].filter(isText);
  return {
    type: 'gltf-metadata',
    certain: true,
    references: [],
    metadata: {
      title: text(document.name),
      description: text(document.summary),
      tags: Array.isArray(document.tags) ? document.tags.filter(isText) : undefined,
      license: licenses.length === 0 ? undefined : licenses.sort().join(' AND '),
      attribution: legal.map(holderOf).filter(isText).join('; ') || undefined,
      picture: text(document.screenshot),
    },
  };
}

function holderOf(legal: Record<string, unknown>): string | undefined {
  const [year, owner, artist, what, name] = ['year', 'owner', 'artist', 'what', 'text'].map((key) =>
    text(legal[key]),
  );
  if (owner === undefined && artist === undefined) return undefined;
  const by = [owner, artist].filter(isText).join(': ');
  const rights = [what && `for ${what}`, name].filter(isText).join(', ');
  return ['(c)', year, by, rights].filter(isText).join(' ');
}

/** Reads `meta-information.json` of collections of URDF files: the robots, their manufacturers and sources. */
export function readRobotList(file: BoundedFileReader): FileFacts | null {
  const document = jsonObject(file);
  if (document === null || !Array.isArray(document.robots)) return null;
  const robots = document.robots.filter(isObject);
  const unique = (key: string) => [...new Set(robots.map((robot) => text(robot[key])).filter(isText))];
  const type = unique('type')[0];
  const maker = unique('manufacturer')[0];
  const source = unique('source-link')[0];
  const names = unique('name');
  return {
    type: 'robot-list',
    certain: true,
    references: [],
    metadata: {
      title: names.join(' / ') || undefined,
      description:
        type && maker ? `${capitalised(type)} by ${maker}. Variants: ${names.join('; ')}.` : undefined,
      tags: [type, maker].filter(isText),
      category: type?.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
      attribution: source && `source: ${source}`,
      url: source,
      entries: robots.flatMap((robot) =>
        Array.isArray(robot.urdf)
          ? robot.urdf.filter(isText).map((path): NamedEntry => ({ name: undefined, file: path }))
          : [],
      ),
    },
  };
}

function jsonObject(file: BoundedFileReader): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(file.whole(MAX_JSON_BYTES)));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | undefined {
  return isText(value) ? value.trim() : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function capitalised(value: string): string {
  return value.charAt(0).toUpperCase() + value.slice(1);
}

function oneLine(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}
