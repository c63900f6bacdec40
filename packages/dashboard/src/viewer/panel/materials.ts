import * as THREE from 'three';
import { element } from '../../element.ts';
import { messages } from '../messages.ts';

/** A list longer than this says how many more there are. */
const MOST = 200;
const MEGABYTE = 2 ** 20;
/** Of a texture with all of its smaller versions, to one without. */
const MIPMAPS = 4 / 3;

/** The materials of a model with their colours and textures; read when it is opened. */
export function materialsSection(root: THREE.Object3D): HTMLElement {
  const list = element('ul', { class: 'materials' });
  const section = element('details', {}, element('summary', {}, messages.materials), list);
  section.addEventListener('toggle', () => {
    if (!section.open) return;
    const materials = materialsOf(root);
    const textures = new Set(
      materials.flatMap((material) => texturesOf(material).map(([, one]) => one.source)),
    );
    const bytes = [...textures].reduce((sum, source) => sum + memoryOf(source), 0);
    list.replaceChildren(
      element('li', {}, messages.materialCounts(materials.length, textures.size, megabytes(bytes))),
      ...materials.slice(0, MOST).map(materialRow),
    );
    if (materials.length > MOST) list.append(element('li', {}, messages.more(materials.length - MOST)));
  });
  return section;
}

function materialsOf(root: THREE.Object3D): THREE.Material[] {
  const found = new Set<THREE.Material>();
  root.traverse((object) => {
    for (const material of [(object as Partial<THREE.Mesh>).material ?? []].flat()) found.add(material);
  });
  return [...found];
}

function texturesOf(material: THREE.Material): [string, THREE.Texture][] {
  return Object.entries(material).filter((entry): entry is [string, THREE.Texture] => {
    return entry[1] instanceof THREE.Texture;
  });
}

function materialRow(material: THREE.Material, index: number): HTMLElement {
  const { color, metalness, roughness } = material as Partial<THREE.MeshStandardMaterial>;
  const swatch = element('span', { class: 'swatch' });
  const hex = color?.getHexString();
  if (hex !== undefined) swatch.style.background = `#${hex}`;
  const facts = [
    ...(hex === undefined ? [] : [`#${hex}`]),
    ...(metalness === undefined ? [] : [messages.metalness(metalness.toFixed(2))]),
    ...(roughness === undefined ? [] : [messages.roughness(roughness.toFixed(2))]),
    ...(material.transparent ? [messages.opacity(material.opacity.toFixed(2))] : []),
  ];
  const textures = texturesOf(material).map(([slot, { source }]) =>
    element('li', {}, `${slot}: ${sizeOf(source).join(' × ')}, ${megabytes(memoryOf(source))}`),
  );
  return element(
    'li',
    {},
    swatch,
    element('strong', {}, material.name || messages.unnamed(index + 1)),
    element('div', {}, facts.join(', ')),
    ...(textures.length > 0 ? [element('ul', {}, ...textures)] : []),
  );
}

type Source = THREE.Texture['source'];

function sizeOf({ data }: Source): [width: number, height: number] {
  const { width = 0, height = 0 } = (data ?? {}) as { width?: number; height?: number };
  return [width, height];
}

/** Bytes of graphics memory, with four for each pixel. */
function memoryOf(source: Source): number {
  const [width, height] = sizeOf(source);
  return width * height * 4 * MIPMAPS;
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MiB`;
}
