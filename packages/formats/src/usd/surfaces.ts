/** How a kind of surface names what is drawn of it. */
export interface SurfaceInputs {
  readonly kinds: RegExp;
  readonly names: {
    readonly color: readonly string[];
    readonly roughness: readonly string[];
    readonly metallic: readonly string[];
    readonly normal?: readonly string[];
    readonly emission?: readonly string[];
    readonly opacity?: readonly string[];
    readonly occlusion?: readonly string[];
    /** By what the colour is multiplied; a tint only that of a picture. */
    readonly weight?: readonly string[];
    readonly tint?: readonly string[];
    readonly emissionWeight?: readonly string[];
    readonly hasEmission?: readonly string[];
    readonly hasOpacity?: readonly string[];
    readonly transmission?: readonly string[];
    readonly cutoff?: readonly string[];
    readonly isSpecular?: readonly string[];
    readonly specular?: readonly string[];
  };
  /** For surfaces that name their pictures themselves: which channel they read. */
  readonly channels?: Readonly<Record<string, string>>;
  readonly defaults: {
    readonly color: readonly [number, number, number];
    readonly roughness: number;
    readonly metallic: number;
    readonly emission: readonly [number, number, number];
    readonly emissionWeight: number;
  };
}

const BLACK = [0, 0, 0] as const;
const WHITE = [1, 1, 1] as const;

/** The surfaces that are understood. An input that is listed first is preferred to those behind it. */
export const INPUTS: readonly SurfaceInputs[] = [
  {
    kinds: /^(?:UsdPreviewSurface|ND_UsdPreviewSurface_surfaceshader)$/,
    names: {
      color: ['diffuseColor'],
      roughness: ['roughness'],
      metallic: ['metallic'],
      normal: ['normal'],
      emission: ['emissiveColor'],
      opacity: ['opacity'],
      occlusion: ['occlusion'],
      cutoff: ['opacityThreshold'],
      isSpecular: ['useSpecularWorkflow'],
      specular: ['specularColor'],
    },
    defaults: { color: [0.18, 0.18, 0.18], roughness: 0.5, metallic: 0, emission: BLACK, emissionWeight: 1 },
  },
  {
    kinds: /^ND_standard_surface_surfaceshader/,
    names: {
      color: ['base_color'],
      weight: ['base'],
      roughness: ['specular_roughness'],
      metallic: ['metalness'],
      normal: ['normal'],
      emission: ['emission_color'],
      emissionWeight: ['emission'],
      opacity: ['opacity'],
      transmission: ['transmission'],
    },
    defaults: { color: [0.8, 0.8, 0.8], roughness: 0.2, metallic: 0, emission: WHITE, emissionWeight: 0 },
  },
  {
    kinds: /^ND_open_pbr_surface_surfaceshader/,
    names: {
      color: ['base_color'],
      weight: ['base_weight'],
      roughness: ['specular_roughness'],
      metallic: ['base_metalness'],
      normal: ['geometry_normal'],
      emission: ['emission_color'],
      emissionWeight: ['emission_luminance'],
      opacity: ['geometry_opacity'],
      transmission: ['transmission_weight'],
    },
    defaults: { color: [0.8, 0.8, 0.8], roughness: 0.3, metallic: 0, emission: WHITE, emissionWeight: 0 },
  },
  {
    kinds: /^ND_gltf_pbr_surfaceshader/,
    names: {
      color: ['base_color'],
      roughness: ['roughness'],
      metallic: ['metallic'],
      normal: ['normal'],
      emission: ['emissive'],
      opacity: ['alpha'],
      occlusion: ['occlusion'],
      transmission: ['transmission'],
    },
    defaults: { color: WHITE, roughness: 1, metallic: 1, emission: BLACK, emissionWeight: 1 },
  },
  {
    kinds: /^Omni(?:PBR|Surface|Glass)/,
    names: {
      color: ['diffuse_texture', 'diffuse_color_constant', 'diffuse_reflection_color', 'glass_color'],
      tint: ['diffuse_tint'],
      roughness: [
        'ORM_texture',
        'reflectionroughness_texture',
        'reflection_roughness_constant',
        'specular_reflection_roughness',
      ],
      metallic: ['ORM_texture', 'metallic_texture', 'metallic_constant', 'metalness'],
      normal: ['normalmap_texture'],
      emission: ['emissive_mask_texture', 'emissive_color'],
      hasEmission: ['enable_emission'],
      hasOpacity: ['enable_opacity'],
      opacity: ['opacity_texture', 'opacity_constant'],
      cutoff: ['opacity_threshold'],
    },
    channels: { roughness: 'g', metallic: 'b', opacity: 'r' },
    defaults: { color: [0.2, 0.2, 0.2], roughness: 0.5, metallic: 0, emission: BLACK, emissionWeight: 1 },
  },
];
