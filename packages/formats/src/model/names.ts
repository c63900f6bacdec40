import type { Mechanism } from './mechanism.ts';

/** Other names, by those that bodies and joints of a mechanism have. */
export interface Names {
  readonly bodies: ReadonlyMap<string, string>;
  readonly joints: ReadonlyMap<string, string>;
}

/** A mechanism whose bodies and joints have other names. */
export function renamed(mechanism: Mechanism, { bodies, joints }: Names): Mechanism {
  const jointName = (name: string) => joints.get(name) ?? name;
  return {
    ...mechanism,
    bodies: mechanism.bodies.map((body) => ({
      ...body,
      name: bodies.get(body.name) ?? body.name,
      parent: body.parent === undefined ? undefined : (bodies.get(body.parent) ?? body.parent),
      joints: body.joints.map((joint) => ({
        ...joint,
        name: jointName(joint.name),
        mimics: joint.mimics && { ...joint.mimics, joint: jointName(joint.mimics.joint) },
      })),
    })),
  };
}
