import {
  DESATURATION,
  EXPOSURE,
  FILL_DIRECTION,
  GROUND,
  KEY_DIRECTION,
  LIGHTS,
  SKY,
  START,
  type Vector3,
} from '@bindery/render/models';
import * as THREE from 'three';

/**
 * The lighting of thumbnails: a key, a fill and a rim light, and a studio that is bright above and dim below. The
 * studio is a formula, because an environment map takes software rendering seconds and would look different.
 */
export function createLights(): THREE.Object3D {
  const lights = new THREE.Group();
  for (const { direction, strength } of LIGHTS) {
    const light = new THREE.DirectionalLight(0xffffff, strength);
    light.position.set(...direction);
    lights.add(light);
  }
  const ground = new THREE.Color(...GROUND);
  const sky = new THREE.Color(...SKY).add(ground);
  lights.add(new THREE.HemisphereLight(sky, ground, Math.PI * EXPOSURE));
  return lights;
}

const STUDIO = `
float studioLight( const in vec3 direction, const in float roughness ) {
  float soft = 0.12 + roughness * 0.8;
  float above = smoothstep( 0.0, 1.0, ( direction.y + soft - 0.15 ) / ( 2.0 * soft ) );
  float key = pow( max( 0.0, dot( direction, ${glsl(KEY_DIRECTION)} ) ), 2.0 + 10.0 * ( 1.0 - roughness ) );
  float side = pow( max( 0.0, dot( direction, ${glsl(FILL_DIRECTION)} ) ), 2.0 + 8.0 * ( 1.0 - roughness ) );
  return 0.28 + 0.62 * above + 0.5 * key + 0.25 * side;
}
`;

const REFLECTED = `
#if defined( RE_IndirectSpecular ) && defined( STANDARD )
  radiance += studioLight( inverseTransformDirection( reflect( - geometryViewDir, geometryNormal ), viewMatrix ), material.roughness );
  #ifdef USE_CLEARCOAT
    clearcoatRadiance += studioLight( inverseTransformDirection( reflect( - geometryViewDir, geometryClearcoatNormal ), viewMatrix ), material.clearcoatRoughness );
  #endif
#endif
`;

/**
 * Flips the normal of a double-sided surface towards the viewer. The side is derived from the visible surface: many
 * files wind their triangles against their normals, and three.js would rely on the winding.
 */
const SEEN_SIDE = `
normal *= dot( normal, cross( dFdx( vViewPosition ), dFdy( vViewPosition ) ) ) < 0.0 ? - 1.0 : 1.0;
`;

/** Leaves colours unchanged up to a threshold and rolls brighter ones off towards white, as thumbnails do. */
const TONE_MAPPING = `
vec3 CustomToneMapping( vec3 color ) {
  const float START = ${START};
  color *= toneMappingExposure;
  float peak = max( color.r, max( color.g, color.b ) );
  if ( peak <= START ) return color;
  float room = 1.0 - START;
  float newPeak = 1.0 - room * room / ( peak + room - START );
  float white = 1.0 - 1.0 / ( ${DESATURATION} * ( peak - newPeak ) + 1.0 );
  return mix( color * newPeak / peak, vec3( newPeak ), white );
}
`;

/** Patches studio, double-sided normals and tone mapping into all three.js shaders, before the first is compiled. */
export function installStudio(renderer: THREE.WebGLRenderer): void {
  const chunks = THREE.ShaderChunk;
  if (!chunks.lights_fragment_maps.includes('studioLight')) {
    chunks.lights_physical_pars_fragment += STUDIO;
    chunks.lights_fragment_maps += REFLECTED;
    chunks.normal_fragment_begin = chunks.normal_fragment_begin.replace(
      'normal *= faceDirection;',
      SEEN_SIDE,
    );
    chunks.tonemapping_pars_fragment = chunks.tonemapping_pars_fragment.replace(
      'vec3 CustomToneMapping( vec3 color ) { return color; }',
      TONE_MAPPING,
    );
  }
  renderer.toneMapping = THREE.CustomToneMapping;
}

function glsl(vector: Vector3): string {
  return `vec3( ${vector.map((value) => value.toFixed(6)).join(', ')} )`;
}
