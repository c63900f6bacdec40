import {
  baseName,
  decodeText,
  extensionOf,
  extensionsOf,
  FORMATS,
  formatNamed,
  formatOf,
  formatOfRoot,
  isLfsPointer,
  MAX_POINTER_BYTES,
  MAX_XML_BYTES,
  POINTER_WORDS,
  surveyLod,
  surveyMtl,
  surveySog,
  UnreadableFileError,
  xmlRoot,
} from '@bindery/formats';
import { BoundedFileReader, type ListedFile, type ReadPart } from './file-reader.ts';
import type { FileFacts, FileType } from './formats/facts.ts';
import { readGazeboModel, readGltfMetadata, readRobotList, readRosPackage } from './formats/markers.ts';
import { readMaterialX, readOgreMaterial } from './formats/materials.ts';
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
      type: BY_EXTENSION.get(extension) ?? 'unknown',
      certain: true,
      references: [],
      warning: POINTER_WORDS,
    };
  try {
    if (file.size === 0 && extension !== 'mtl' && BY_EXTENSION.has(extension))
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
  const format = formatOf(extension);
  if (XML.has(extension)) return readXml(file, extension, name);
  if (format?.survey !== undefined) return format.survey(file) as FileFacts | null;
  if (format?.magics !== undefined) return byMagic(file, format.name, format.magics);
  switch (extension) {
    case 'json':
      return readJson(file, name);
    case 'mtl':
      return surveyMtl(file) as FileFacts;
    case 'mtlx':
      return readMaterialX(file);
    case 'material':
      return readOgreMaterial(file);
    default:
      if (format !== undefined) return bareFacts(format.name);
      return isProgramOrText(file.path) || TEMPLATE.test(name) ? null : readWorld(file, extension, name);
  }
}

/** Extensions of files whose root element says what they are. */
const XML: ReadonlySet<string> = new Set([
  ...['xml', 'config'],
  ...FORMATS.filter(({ family }) => family === 'robot').flatMap(extensionsOf),
]);

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
  if (root === 'package')
    return name === 'package.xml' || name === 'manifest.xml'
      ? readRosPackage(file.whole(MAX_XML_BYTES))
      : null;
  if (root === 'model')
    return name === 'model.config' || name === 'manifest.xml'
      ? readGazeboModel(file.whole(MAX_XML_BYTES))
      : null;
  // Semantics of MoveIt have the same root as robots, but nothing to see.
  if (root === 'robot' && name.endsWith('.srdf.xacro')) return null;
  const byRoot = formatOfRoot(root);
  const format =
    extension === 'xacro' && (byRoot === undefined || root === 'robot') ? formatNamed('xacro') : byRoot;
  if (format?.survey !== undefined) return format.survey(file) as FileFacts | null;
  return extension === 'urdf' ? bareFacts('urdf') : null;
}

function readJson(file: BoundedFileReader, name: string): FileFacts | null {
  switch (name) {
    case 'lod-meta.json':
      return surveyLod(file) as FileFacts;
    case 'meta.json':
      return surveySog(file) as FileFacts | null;
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
function byMagic(file: BoundedFileReader, type: FileType, magics: readonly string[]): FileFacts {
  const head = String.fromCharCode(...file.head(MAX_MAGIC));
  return { ...bareFacts(type), certain: magics.some((magic) => head.startsWith(magic)) };
}

function bareFacts(type: FileType): FileFacts {
  return { type, certain: false, references: [] };
}

const BY_EXTENSION: ReadonlyMap<string, FileType> = new Map<string, FileType>([
  ...FORMATS.flatMap(({ name, extensions }) => extensions.map((extension) => [extension, name] as const)),
  ['mtl', 'mtl'],
  ['mtlx', 'materialx'],
]);

/** Determines the type by extension, or by root element if the file starts like a model. */
function factsFromName(file: BoundedFileReader, extension: string, warning: string): FileFacts | null {
  const type = BY_EXTENSION.get(extension) ?? rootType(file, extension);
  return type === undefined ? null : { ...bareFacts(type), warning };
}

function rootType(file: BoundedFileReader, extension: string): FileType | undefined {
  if (extension !== 'xml' && extension !== 'world' && extension !== 'mjcf') return undefined;
  return formatOfRoot(xmlRoot(file.head(XML_HEAD)))?.name;
}
