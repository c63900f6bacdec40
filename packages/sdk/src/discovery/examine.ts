import {
  baseName,
  decodeText,
  extensionOf,
  FORMATS,
  isLfsPointer,
  MAX_POINTER_BYTES,
  POINTER_WORDS,
  surveyMjcf,
  UnreadableFileError,
  xmlRoot,
} from '@bindery/formats';
import { BoundedFileReader, type ListedFile, MAX_XML_BYTES, type ReadPart } from './file-reader.ts';
import type { FileFacts, FileType } from './formats/facts.ts';
import { readGazeboModel, readGltfMetadata, readRobotList, readRosPackage } from './formats/markers.ts';
import {
  readCloud,
  readCollada,
  readFbxModel,
  readGltf,
  readMaterialX,
  readMtl,
  readObj,
  readOff,
  readOgreMaterial,
  readStl,
  readUsd,
  readVrmlModel,
} from './formats/meshes.ts';
import { readSdf, readUrdf, readXacro } from './formats/robots.ts';
import { readLod, readPly, readSog, readSplat } from './formats/splats.ts';
import {
  isLicenseFile,
  isProgramOrText,
  isReadme,
  readLicenseFile,
  readReadme,
} from './metadata/documents.ts';

/** Limits for all files together: bytes read, and time. Of files beyond them only the name is known. */
const MAX_BYTES = 4 * 1024 ** 3;
const MAX_MILLISECONDS = 300_000;

/** Stores what was found in files that have not changed. */
export interface FactsStore<F extends ListedFile> {
  /** Returns undefined if nothing is stored; null for a file of no type that discovery knows. */
  get(file: F): FileFacts | null | undefined;
  set(file: F, facts: FileFacts | null): void;
}

export interface Examination {
  /** By path; files of no type that discovery knows are absent. */
  facts: ReadonlyMap<string, FileFacts>;
  /** Files that were not examined because a limit was reached. */
  unexamined: readonly string[];
}

export interface ExaminationLimits {
  bytes: number;
  milliseconds: number;
}

/** Examines each file once, in order, within the limits. */
export function examineFiles<F extends ListedFile>(
  files: readonly F[],
  read: ReadPart,
  memory?: FactsStore<F>,
  limits: ExaminationLimits = { bytes: MAX_BYTES, milliseconds: MAX_MILLISECONDS },
): Examination {
  const facts = new Map<string, FileFacts>();
  const unexamined: string[] = [];
  const started = performance.now();
  let bytes = 0;
  const counting = (path: string, start: number, length: number) => {
    const part = read(path, start, length);
    bytes += part.byteLength;
    return part;
  };
  const counted: ReadPart = Object.assign(counting, { during: read.during });
  for (const file of files) {
    let found = memory?.get(file);
    if (found === undefined) {
      if (bytes > limits.bytes || performance.now() - started > limits.milliseconds) {
        unexamined.push(file.path);
        continue;
      }
      const before = bytes;
      found = examineFile(new BoundedFileReader(file, counted));
      if (bytes > before) memory?.set(file, found);
    }
    if (found !== null) facts.set(file.path, found);
  }
  return { facts, unexamined };
}

/** XML files can begin with a licence text. */
const XML_HEAD = 64 * 1024;

/**
 * Determines from a file alone what it is and which files it names; null if discovery does not know its type. A file
 * that cannot be examined gets its type from its name, and a warning: no content ever causes an error.
 */
export function examineFile(file: BoundedFileReader): FileFacts | null {
  const extension = extensionOf(file.path);
  if (isPointer(file))
    return {
      type: BY_EXTENSION[extension] ?? 'unknown',
      certain: true,
      references: [],
      warning: POINTER_WORDS,
    };
  try {
    if (file.size === 0 && extension !== 'mtl' && BY_EXTENSION[extension] !== undefined)
      throw new UnreadableFileError('is empty');
    return file.during(() => factsOf(file, extension, baseName(file.path).toLowerCase()));
  } catch (error) {
    if (error instanceof RangeError) return factsFromName(file, extension, 'is nested too deeply to be read');
    if (!(error instanceof UnreadableFileError)) throw error;
    return factsFromName(file, extension, error.message);
  }
}

function isPointer(file: BoundedFileReader): boolean {
  return file.size <= MAX_POINTER_BYTES && file.size >= 100 && isLfsPointer(file.head(file.size));
}

function factsOf(file: BoundedFileReader, extension: string, name: string): FileFacts | null {
  if (isLicenseFile(file.path)) return readLicenseFile(file);
  if (isReadme(file.path)) return readReadme(file);
  switch (extension) {
    case 'xml':
    case 'urdf':
    case 'sdf':
    case 'world':
    case 'xacro':
    case 'mjcf':
    case 'config':
      return readXml(file, extension, name);
    case 'json':
      return readJson(file, name);
    case 'glb':
    case 'vrm':
      return readGltf(file, true);
    case 'gltf':
      return readGltf(file, false);
    case 'usd':
    case 'usda':
    case 'usdc':
    case 'usdz':
      return readUsd(file);
    case 'obj':
      return readObj(file);
    case 'mtl':
      return readMtl(file);
    case 'dae':
      return readCollada(file);
    case 'mtlx':
      return readMaterialX(file);
    case 'material':
      return readOgreMaterial(file);
    case 'ply':
      return readPly(file);
    case 'splat':
    case 'spz':
    case 'ksplat':
    case 'sog':
      return readSplat(file, extension);
    case 'stl':
      return readStl(file);
    case 'off':
      return readOff(file);
    case 'pcd':
    case 'xyz':
    case 'pts':
      return readCloud(file, extension);
    case 'fbx':
      return readFbxModel(file);
    case '3mf':
      return byMagic(file, '3mf', 'PK\u0003\u0004', 'PK\u0005\u0006');
    case 'step':
    case 'stp':
      return byMagic(file, 'step', 'ISO-10303-21;');
    case 'wrl':
      return readVrmlModel(file);
    case 'blend':
      return byMagic(file, 'blend', 'BLENDER', '\x28\xb5\x2f\xfd', '\x1f\x8b');
    default:
      if (BY_EXTENSION[extension] === 'image') return bareFacts('image');
      return isProgramOrText(file.path) || TEMPLATE.test(name) ? null : readWorld(file, extension, name);
  }
}

/** What becomes a world only once it is filled in, and what was one. */
const TEMPLATE = /\.(?:erb|em|j2|jinja2?|tmpl|template|old|bak|orig)$/;
const MAX_BLANK = 64;

/** Programs open worlds under any name, such as `lab.model` or `lab`. */
function readWorld(file: BoundedFileReader, extension: string, name: string): FileFacts | null {
  if (!decodeText(file.head(MAX_BLANK)).trimStart().startsWith('<')) return null;
  const facts = readXml(file, extension, name);
  return facts?.isWorld || (facts?.type === 'mjcf' && facts.isComplete) ? facts : null;
}

function readXml(file: BoundedFileReader, extension: string, name: string): FileFacts | null {
  const root = xmlRoot(file.head(XML_HEAD));
  const whole = () => file.whole(MAX_XML_BYTES);
  switch (root) {
    case 'mujoco':
      return { type: 'mjcf', certain: true, ...surveyMjcf(whole()) };
    case 'mujocoinclude':
      return { type: 'mjcf', certain: true, ...surveyMjcf(whole()), isPart: true };
    case 'robot':
      // Semantics of MoveIt have the same root, but nothing to see.
      if (name.endsWith('.srdf.xacro')) return null;
      return extension === 'xacro' ? readXacro(whole()) : readUrdf(whole());
    case 'sdf':
    case 'gazebo':
      return readSdf(whole());
    case 'package':
      return name === 'package.xml' || name === 'manifest.xml' ? readRosPackage(whole()) : null;
    case 'model':
      return name === 'model.config' || name === 'manifest.xml' ? readGazeboModel(whole()) : null;
    default:
      return extension === 'urdf' ? bareFacts('urdf') : extension === 'xacro' ? readXacro(whole()) : null;
  }
}

function readJson(file: BoundedFileReader, name: string): FileFacts | null {
  switch (name) {
    case 'lod-meta.json':
      return readLod(file);
    case 'meta.json':
      return readSog(file);
    case 'metadata.json':
      return readGltfMetadata(file);
    case 'meta-information.json':
      return readRobotList(file);
    default:
      return null;
  }
}

const MAX_MAGIC = 16;

/** Recognises a file by how it begins, in one of several ways. */
function byMagic(file: BoundedFileReader, type: FileType, ...magics: readonly string[]): FileFacts {
  const head = String.fromCharCode(...file.head(MAX_MAGIC));
  return { ...bareFacts(type), certain: magics.some((magic) => head.startsWith(magic)) };
}

function bareFacts(type: FileType): FileFacts {
  return { type, certain: false, references: [] };
}

const BY_EXTENSION: Readonly<Record<string, FileType>> = {
  ...Object.fromEntries(
    FORMATS.flatMap(({ name, extensions }) => extensions.map((extension) => [extension, name])),
  ),
  mtl: 'mtl',
  mtlx: 'materialx',
};

/** Determines the type by extension, or by root element if the file starts like a model. */
function factsFromName(file: BoundedFileReader, extension: string, warning: string): FileFacts | null {
  const type = BY_EXTENSION[extension] ?? rootType(file, extension);
  return type === undefined ? null : { ...bareFacts(type), warning };
}

function rootType(file: BoundedFileReader, extension: string): FileType | undefined {
  if (extension !== 'xml' && extension !== 'world' && extension !== 'mjcf') return undefined;
  const root = xmlRoot(file.head(XML_HEAD));
  return root === 'mujoco' ? 'mjcf' : root === 'robot' ? 'urdf' : root === 'sdf' ? 'sdf' : undefined;
}
