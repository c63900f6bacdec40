import * as THREE from 'three';
import dracoWasm from 'three/addons/libs/draco/gltf/draco_decoder.wasm?url';
import dracoScript from 'three/addons/libs/draco/gltf/draco_wasm_wrapper.js?url';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { codeFile, type ReadCode } from '../code.ts';
import { type Gltf, readGltfFile } from '../gltf/container.ts';
import { localGltf } from '../gltf/resources.ts';
import { surveyGltf } from '../gltf/survey.ts';
import { variantsOf } from '../gltf/variants.ts';
import { messages } from '../messages.ts';
import { countSurface } from '../scene/objects.ts';
import type { Stage } from '../stage/stage.ts';
import type { Choice, Playback, Viewer } from '../viewer.ts';
import { sizeIn } from './axes.ts';

/** glTF 2.0 with its animations and variants, loaded by three.js. */
export const viewer: Viewer = {
  async open(asset) {
    const { entry, files, limits, readCode, stage: startStage } = asset;
    const file = readGltfFile((await files.read(entry)) as Uint8Array<ArrayBuffer>);
    if (file.json.extensionsUsed?.includes('KHR_gaussian_splatting'))
      return (await import('./splat.ts')).viewer.open(asset);
    surveyGltf(file.json, limits);
    const local = await localGltf(entry, file, files, limits.imagePixels);
    try {
      const [stage, loader] = await Promise.all([startStage(), loaderFor(local.json, readCode)]);
      const gltf = await loader.parseAsync(local.json as unknown as string, '');
      stage.root.add(gltf.scene);
      stage.root.updateMatrixWorld(true);
      stage.frameModel();
      const animation = animationsOf(gltf, stage);
      const variants = variantsOf(gltf, local.json, () => stage.invalidate());
      return {
        statistics: {
          ...countSurface(stage.root),
          ...(gltf.animations.length > 0 && { animations: gltf.animations.length }),
          size: sizeIn(stage.size, 'y'),
          unit: 'm',
          up: 'y',
        },
        omitted: local.omitted,
        controls: {
          choices: [...(animation?.choices ?? []), ...(variants ? [variants] : [])],
          ...(animation && { playback: animation.playback }),
        },
      };
    } finally {
      local.release();
    }
  },
};

async function loaderFor({ extensionsUsed = [] }: Gltf, readCode: ReadCode): Promise<GLTFLoader> {
  const manager = new THREE.LoadingManager();
  // All references in the file have been replaced by URLs of this frame.
  manager.setURLModifier((url) => (/^(?:blob|data):/.test(url) ? url : 'data:,'));
  const loader = new GLTFLoader(manager);
  if (extensionsUsed.some((name) => name.endsWith('_meshopt_compression'))) {
    const { MeshoptDecoder } = await import('meshoptimizer/decoder');
    loader.setMeshoptDecoder(MeshoptDecoder);
  }
  if (extensionsUsed.includes('KHR_draco_mesh_compression')) {
    const [{ DRACOLoader }, js, wasm] = await Promise.all([
      import('three/addons/loaders/DRACOLoader.js'),
      codeUrl(readCode, dracoScript),
      codeUrl(readCode, dracoWasm),
    ]);
    loader.setDRACOLoader(new DRACOLoader().setDecoderPath({ js, wasm }));
  }
  return loader;
}

/** Returns an object URL for a file of the frame's code. */
async function codeUrl(readCode: ReadCode, url: string): Promise<string> {
  return URL.createObjectURL(new Blob([await codeFile(readCode, url)]));
}

function animationsOf(
  { scene, animations }: GLTF,
  stage: Stage,
): { choices: Choice[]; playback: Playback } | undefined {
  const [first] = animations;
  if (first === undefined) return undefined;
  const mixer = new THREE.AnimationMixer(scene);
  let action = mixer.clipAction(first);
  let stop: (() => void) | undefined;
  const playback: Playback = {
    label: messages.animation,
    isPlaying: false,
    play: (isOn) => {
      stop?.();
      stop = undefined;
      if (!isOn) return;
      action.play();
      stop = stage.animate((seconds) => mixer.update(seconds));
    },
    reset: () => {
      action.play();
      mixer.setTime(0);
      stage.invalidate();
    },
  };
  const choice: Choice = {
    label: messages.animations,
    options: animations.map(({ name }, index) => name || String(index + 1)),
    chosen: 0,
    choose: (index) => {
      const clip = animations[index];
      if (clip === undefined) return;
      mixer.stopAllAction();
      action = mixer.clipAction(clip);
      action.play();
      mixer.update(0);
      stage.invalidate();
    },
  };
  return { choices: animations.length > 1 ? [choice] : [], playback };
}
