import { encodePng } from '../images/png.ts';
import type { Image, Material, Texture } from '../model/scene.ts';
import { number, type Prim, tuple } from './write-layer.ts';

/** A picture of a material, and the inputs of the surface that it feeds. */
interface Picture {
  readonly name: string;
  readonly texture: Texture;
  readonly colorSpace: 'sRGB' | 'raw';
  readonly scale?: readonly number[];
  readonly bias?: readonly number[];
  readonly feeds: readonly { readonly input: string; readonly type: string; readonly output: string }[];
}

/** The materials of a stage as UsdPreviewSurface, each once, and their pictures. */
export class UsdMaterials {
  readonly #scope: string;
  readonly #prims = new Map<string, Prim>();
  readonly #numbers = new Map<Material, number>();
  readonly #images = new Map<Image, string>();

  /** `scope`: the path of the prim that has the materials. */
  constructor(scope: string) {
    this.#scope = scope;
  }

  /** The path of a material; `hasColors`: for triangles whose corners have colours. */
  path(material: Material, hasColors: boolean): string {
    const id = this.#numbers.get(material) ?? this.#numbers.size + 1;
    this.#numbers.set(material, id);
    const name = `material_${id}${hasColors ? '_with_colors' : ''}`;
    const path = `${this.#scope}/${name}`;
    if (!this.#prims.has(name)) this.#prims.set(name, this.#materialPrim(name, path, material, hasColors));
    return path;
  }

  get prims(): Prim[] {
    return [...this.#prims.values()];
  }

  files(): Promise<[string, Uint8Array][]> {
    return Promise.all([...this.#images].map(async ([image, path]) => [path, await encodePng(image)]));
  }

  #materialPrim(name: string, path: string, material: Material, hasColors: boolean): Prim {
    const inputs = plainInputs(material);
    const color = material.unlit ? 'emissiveColor' : 'diffuseColor';
    if (hasColors) inputs.set(color, `color3f inputs:${color}.connect = <${path}/Colors.outputs:result>`);
    const pictures = picturesOf(material, color);
    for (const { name: shader, feeds } of pictures)
      for (const { input, type, output } of feeds)
        inputs.set(input, `${type} inputs:${input}.connect = <${path}/${shader}.outputs:${output}>`);
    return {
      type: 'Material',
      name,
      properties: [`token outputs:surface.connect = <${path}/Surface.outputs:surface>`],
      children: [
        shaderPrim('Surface', 'UsdPreviewSurface', [...inputs.values(), 'token outputs:surface']),
        hasColors
          ? shaderPrim('Colors', 'UsdPrimvarReader_float3', [
              'string inputs:varname = "displayColor"',
              'float3 outputs:result',
            ])
          : undefined,
        ...pictures.flatMap((picture) => this.#picturePrims(path, picture)),
      ],
    };
  }

  #picturePrims(path: string, { name, texture, colorSpace, scale, bias, feeds }: Picture): Prim[] {
    const [image] = texture.levels;
    const file = (image && this.#images.get(image)) ?? `textures/texture_${this.#images.size + 1}.png`;
    if (image !== undefined) this.#images.set(image, file);
    const [coordinates, placement] = [`${name}Coordinates`, `${name}Placement`];
    const isPlaced = texture.transform !== undefined;
    const outputs = new Set(feeds.map(({ output }) => output));
    const prims = [
      shaderPrim(name, 'UsdUVTexture', [
        `asset inputs:file = @${file}@`,
        `token inputs:sourceColorSpace = "${colorSpace}"`,
        `token inputs:wrapS = "${texture.wrapU}"`,
        `token inputs:wrapT = "${texture.wrapV}"`,
        scale && `float4 inputs:scale = ${tuple(scale)}`,
        bias && `float4 inputs:bias = ${tuple(bias)}`,
        `float2 inputs:st.connect = <${path}/${isPlaced ? placement : coordinates}.outputs:result>`,
        ...[...outputs].map((output) => `${output === 'rgb' ? 'float3' : 'float'} outputs:${output}`),
      ]),
      shaderPrim(coordinates, 'UsdPrimvarReader_float2', [
        `string inputs:varname = "${texture.uvSet === 1 ? 'st1' : 'st'}"`,
        'float2 outputs:result',
      ]),
    ];
    if (texture.transform === undefined) return prims;
    const [a, b, c, d, x, y] = texture.transform;
    const width = Math.hypot(a, b);
    // V runs up in USD.
    const placed = shaderPrim(placement, 'UsdTransform2d', [
      `float2 inputs:in.connect = <${path}/${coordinates}.outputs:result>`,
      `float inputs:rotation = ${number((Math.atan2(-b, a) * 180) / Math.PI)}`,
      `float2 inputs:scale = ${tuple([width, width === 0 ? d : (a * d - b * c) / width])}`,
      `float2 inputs:translation = ${tuple([c + x, 1 - d - y])}`,
      'float2 outputs:result',
    ]);
    return [...prims, placed];
  }
}

function shaderPrim(name: string, id: string, inputs: readonly (string | undefined)[]): Prim {
  return { type: 'Shader', name, properties: [`uniform token info:id = "${id}"`, ...inputs] };
}

/** What a surface is without pictures, by input. */
function plainInputs(material: Material): Map<string, string> {
  const [red, green, blue, opacity] = material.baseColor;
  const { metallic, roughness, alphaMode, alphaCutoff, unlit } = material;
  const [diffuse, emissive] = unlit
    ? [
        [0, 0, 0],
        [red, green, blue],
      ]
    : [[red, green, blue], material.emissive];
  return new Map([
    ['diffuseColor', `color3f inputs:diffuseColor = ${tuple(diffuse)}`],
    ['emissiveColor', `color3f inputs:emissiveColor = ${tuple(emissive)}`],
    ['metallic', `float inputs:metallic = ${number(metallic)}`],
    ['roughness', `float inputs:roughness = ${number(roughness)}`],
    ['opacity', `float inputs:opacity = ${number(alphaMode === 'opaque' ? 1 : opacity)}`],
    ['opacityThreshold', `float inputs:opacityThreshold = ${number(alphaMode === 'mask' ? alphaCutoff : 0)}`],
  ]);
}

function picturesOf(material: Material, color: string): Picture[] {
  const { baseColor, metallic, roughness, emissive, normalScale, alphaMode, unlit } = material;
  const isOpaque = alphaMode === 'opaque';
  const all: (Omit<Picture, 'texture'> & { texture: Texture | undefined })[] = [
    {
      name: 'BaseColor',
      texture: material.baseColorTexture,
      colorSpace: 'sRGB',
      scale: baseColor,
      feeds: [
        { input: color, type: 'color3f', output: 'rgb' },
        ...(isOpaque ? [] : [{ input: 'opacity', type: 'float', output: 'a' }]),
      ],
    },
    {
      name: 'MetallicRoughness',
      texture: material.metallicRoughnessTexture,
      colorSpace: 'raw',
      scale: [1, roughness, metallic, 1],
      feeds: [
        { input: 'roughness', type: 'float', output: 'g' },
        { input: 'metallic', type: 'float', output: 'b' },
      ],
    },
    {
      name: 'Emission',
      texture: unlit ? undefined : material.emissiveTexture,
      colorSpace: 'sRGB',
      scale: [...emissive, 1],
      feeds: [{ input: 'emissiveColor', type: 'color3f', output: 'rgb' }],
    },
    {
      name: 'Normal',
      texture: material.normalTexture,
      colorSpace: 'raw',
      scale: [2 * normalScale, 2 * normalScale, 2, 1],
      bias: [-normalScale, -normalScale, -1, 0],
      feeds: [{ input: 'normal', type: 'normal3f', output: 'rgb' }],
    },
    {
      name: 'Occlusion',
      texture: material.occlusionTexture,
      colorSpace: 'raw',
      feeds: [{ input: 'occlusion', type: 'float', output: 'r' }],
    },
  ];
  return all.flatMap(({ texture, ...rest }) => (texture === undefined ? [] : [{ ...rest, texture }]));
}
