import type { Instance, Motion } from '@bindery/render/models';
import * as THREE from 'three';
import type { ObjectFactory } from './objects.ts';

/** The parts of a model that moves, carried by its joints. */
export function movingObjects(
  instances: readonly Instance[],
  { joints }: Motion,
  factory: ObjectFactory,
): THREE.Object3D[] {
  const bones = joints.map((place, joint) => {
    const bone = new THREE.Bone();
    bone.name = nameOf(joint);
    new THREE.Matrix4().fromArray(place).decompose(bone.position, bone.quaternion, bone.scale);
    return bone;
  });
  const others = instances.flatMap((instance) => {
    const { moves } = instance;
    if (moves === undefined) return factory.mesh(instance);
    if ('bones' in moves) return factory.skinned(instance, moves, bones);
    bones[moves.joint]?.add(factory.mesh({ ...instance, transform: moves.local }));
    return [];
  });
  return [...bones, ...others];
}

/** The animations of a model, for the objects that `movingObjects` returns. */
export function clipsOf({ clips }: Motion): THREE.AnimationClip[] {
  return clips.map(({ name, times, tracks }) => {
    const all = tracks.flatMap(({ translations, rotations, scales }, joint) => [
      new THREE.VectorKeyframeTrack(`${nameOf(joint)}.position`, times, translations),
      new THREE.QuaternionKeyframeTrack(`${nameOf(joint)}.quaternion`, times, rotations),
      new THREE.VectorKeyframeTrack(`${nameOf(joint)}.scale`, times, scales),
    ]);
    return new THREE.AnimationClip(name, times.at(-1) ?? 0, all);
  });
}

function nameOf(joint: number): string {
  return `joint${joint}`;
}
