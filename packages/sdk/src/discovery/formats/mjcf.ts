import { type OpenElement, scanXml } from '../xml/scan-xml.ts';
import type { FileFacts, MjcfFolders, Reference, ReferenceRole } from './format.ts';

/** Elements with attributes that name files. */
const ROLES: Readonly<Record<string, ReferenceRole>> = {
  include: 'include',
  model: 'model',
  mesh: 'mesh',
  skin: 'mesh',
  flexcomp: 'mesh',
  hfield: 'data',
  texture: 'texture',
};
const CUBE_SIDES = ['fileright', 'fileleft', 'fileup', 'filedown', 'filefront', 'fileback'];
/** Elements with something to see. A model without them has only materials, keyframes or settings for others. */
const SUBSTANCE: ReadonlySet<string> = new Set(['body', 'geom', 'include', 'attach', 'frame', 'replicate']);

/**
 * Reads a MuJoCo model. Files are named as written; where they are depends on the model that includes this one
 * (mujoco.readthedocs.io, XML reference, `compiler`).
 */
export function readMjcf(bytes: Uint8Array): FileFacts {
  const references: Reference[] = [];
  let folders: MjcfFolders = {};
  let isComplete = false;
  const visit = ({ name, attributes, line }: OpenElement) => {
    if (name === 'compiler') folders = { ...folders, ...foldersOf(attributes) };
    if (SUBSTANCE.has(name)) isComplete = true;
    const role = ROLES[name];
    if (role === undefined) return;
    for (const key of name === 'texture' ? ['file', ...CUBE_SIDES] : ['file']) {
      const text = attributes[key];
      if (text) references.push({ text, role, line });
    }
  };
  scanXml(bytes, { open: visit });
  return { type: 'mjcf', certain: true, references, isComplete, folders };
}

function foldersOf({ meshdir, texturedir, assetdir }: OpenElement['attributes']): MjcfFolders {
  return Object.fromEntries(
    Object.entries({ meshdir, texturedir, assetdir }).filter(([, value]) => value !== undefined),
  );
}
