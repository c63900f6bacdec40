import { decodeText, MAX_XML_BYTES, type Reference, scanXml } from '@bindery/formats';
import type { BoundedFileReader } from '../file-reader.ts';
import type { FileFacts } from './facts.ts';

/** Reads a MaterialX document: its pictures, in folders that elements around them can name, and what it includes. */
export function readMaterialX(file: BoundedFileReader): FileFacts {
  const references: Reference[] = [];
  scanXml(file.whole(MAX_XML_BYTES), {
    open({ name, attributes, line }, above) {
      if (name === 'xi:include' && attributes.href)
        references.push({ text: attributes.href, role: 'include', line });
      if (attributes.type !== 'filename' || !attributes.value) return;
      const folder = [...above].reverse().find((one) => one.attributes.fileprefix !== undefined);
      const prefix = attributes.fileprefix ?? folder?.attributes.fileprefix ?? '';
      references.push({ text: `${prefix}${attributes.value}`, role: 'texture', line });
    },
  });
  return { type: 'materialx', certain: true, references };
}

const MAX_SCRIPT_BYTES = 4 * 1024 * 1024;

/** Reads a material script of OGRE, as used by Gazebo Classic: `texture <name>` names a picture somewhere nearby. */
export function readOgreMaterial(file: BoundedFileReader): FileFacts {
  const text = decodeText(file.whole(MAX_SCRIPT_BYTES));
  const references = [...text.matchAll(/^[ \t]*texture[ \t]+(\S+)/gm)].map(
    ([, name = '']): Reference => ({ text: name, role: 'texture' }),
  );
  return { type: 'ogre-material', certain: true, references };
}
