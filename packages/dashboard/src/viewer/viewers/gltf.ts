import * as THREE from 'three';
import dracoWasm from 'three/addons/libs/draco/gltf/draco_decoder.wasm?url';
import dracoScript from 'three/addons/libs/draco/gltf/draco_wasm_wrapper.js?url';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { ViewerStatistics } from '../../viewer-protocol.ts';
import { Choice } from '../choice.ts';
import { codeFile, type ReadCode } from '../code.ts';
import { GltfAnimation } from '../gltf/animation.ts';
import { type Gltf, readGltfFile } from '../gltf/container.ts';
import { localGltf } from '../gltf/resources.ts';
import { surveyGltf } from '../gltf/survey.ts';
import { withTranslucency } from '../gltf/translucency.ts';
import { variantsOf } from '../gltf/variants.ts';
import { messages } from '../messages.ts';
import { createObjectUrl } from '../object-urls.ts';
import { countSurface } from '../scene/objects.ts';
import type { Stage } from '../stage/stage.ts';
import type { Viewer } from '../viewer.ts';
import { sizeOf } from './axes.ts';

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
      const gltf = await loader.parseAsync(withTranslucency(local.json) as unknown as string, '');
      stage.root.add(gltf.scene);
      stage.root.updateMatrixWorld(true);
      stage.frameModel();
      const animation = GltfAnimation.of(gltf.animations, stage);
      const choices = [
        scenesOf(gltf, local.json, stage),
        camerasOf(gltf, stage),
        animation?.choice,
        variantsOf(gltf, local.json, () => stage.invalidate()),
      ];
      return {
        get statistics(): ViewerStatistics {
          return {
            ...countSurface(stage.root),
            ...(gltf.animations.length > 0 && { animations: gltf.animations.length }),
            size: sizeOf(stage.measureSize()),
            unit: 'm',
            up: 'y',
          };
        },
        omitted: local.omitted,
        hasSurfaces: true,
        metres: 1,
        controls: {
          choices: choices.filter((choice) => choice !== undefined),
          ...(animation && { playback: animation }),
        },
        ...(animation && { pose: animation }),
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
  return createObjectUrl(new Blob([await codeFile(readCode, url)]));
}

/** The scenes of a file; undefined if it has only one. */
function scenesOf({ scene, scenes }: GLTF, json: Gltf, stage: Stage): Choice | undefined {
  if (scenes.length < 2) return undefined;
  const names = scenes.map(({ name }, index) => name || String(index + 1));
  let shown: THREE.Object3D = scene;
  const choose = (index: number) => {
    stage.root.remove(shown);
    shown = scenes[index] ?? scene;
    stage.root.add(shown);
    stage.frameModel();
  };
  return new Choice(messages.scenes, names, choose, json.scene ?? 0);
}

/** The cameras of a file, from which it can be looked at; undefined if it has none. */
function camerasOf({ cameras }: GLTF, stage: Stage): Choice | undefined {
  if (cameras.length === 0) return undefined;
  const names = cameras.map(({ name }, index) => name || String(index + 1));
  return new Choice(messages.cameras, [messages.freeCamera, ...names], (option) => {
    const camera = cameras[option - 1];
    if (camera === undefined) stage.fit();
    else stage.lookThrough(camera);
  });
}
