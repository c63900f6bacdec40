import type { GLTF } from '@gltf-transform/core';
import type { Gltf } from './container.ts';

/** Of the opacity of a surface that transmits all light, what remains. */
const REMAINS = 0.2;

/**
 * Returns the file with surfaces that transmit light as translucent ones, as in thumbnails. three.js would draw what is
 * behind them a second time, on white where nothing is behind them.
 */
export function withTranslucency(json: Gltf): Gltf {
  return { ...json, materials: (json.materials ?? []).map(translucent) };
}

function translucent(material: GLTF.IMaterial): GLTF.IMaterial {
  const {
    KHR_materials_transmission: transmission,
    KHR_materials_volume: _,
    ...extensions
  } = material.extensions ?? {};
  const factor = Number((transmission as { transmissionFactor?: unknown })?.transmissionFactor ?? 0);
  if (!(factor > 0)) return material;
  const { baseColorFactor: [red = 1, green = 1, blue = 1, opacity = 1] = [], ...surface } =
    material.pbrMetallicRoughness ?? {};
  const left = opacity * (1 - (1 - REMAINS) * Math.min(factor, 1));
  return {
    ...material,
    alphaMode: 'BLEND',
    pbrMetallicRoughness: { ...surface, baseColorFactor: [red, green, blue, left] },
    extensions,
  };
}
