import type { LossList } from '../model/losses.ts';
import { IDENTITY, inverse, type Matrix4, multiply, rotated, transformPoint, unit } from '../model/matrix.ts';
import { type Body, type Joint, PLAIN_JOINT } from '../model/mechanism.ts';
import { CIRCLE, circular } from '../model/tree.ts';
import { toMessageText } from '../reading/asset-files.ts';
import { childNamed, childrenNamed, numbersOf, type XmlElement } from '../reading/xml-elements.ts';
import type { PlacedModel } from './models.ts';
import { axisOf, limitsOf } from './poses.ts';

/** A link, and where it stands. */
export interface PlacedLink {
  readonly link: XmlElement;
  /** In the world. */
  readonly frame: Matrix4;
  readonly model: PlacedModel;
}

interface WrittenJoint {
  readonly element: XmlElement;
  readonly name: string;
  /** A link, or undefined for the world. */
  readonly parent: string | undefined;
  readonly model: PlacedModel;
  /** In the world. */
  readonly frame: Matrix4;
  /** In the frame of its model. */
  readonly inModel: Matrix4;
}

/** The joints of models, by the links that they hold. */
export class SdfJoints {
  readonly #byChild = new Map<string, WrittenJoint>();
  readonly #links: ReadonlyMap<string, PlacedLink>;
  readonly #losses: LossList;

  constructor(models: readonly PlacedModel[], links: ReadonlyMap<string, PlacedLink>, losses: LossList) {
    this.#links = links;
    this.#losses = losses;
    for (const model of models) {
      const { scope, frames, transform } = model;
      for (const element of childrenNamed(model.model, 'joint')) {
        const name = `${scope}${element.attributes.name ?? ''}`;
        const [parent, child] = [
          this.#linkOf(element, 'parent', model),
          this.#linkOf(element, 'child', model),
        ];
        if (child === undefined) {
          losses.add('joint', name, 'the link that it holds is not there');
          continue;
        }
        const inModel = frames.transformOf(element);
        const joint = { element, name, parent, model, inModel, frame: multiply(transform, inModel) };
        if (this.#byChild.has(child))
          losses.add('joint', name, 'it closes a loop: its link already hangs on another joint');
        else this.#byChild.set(child, joint);
      }
    }
    const parents = new Map([...this.#byChild].map(([child, { parent }]) => [child, parent]));
    for (const child of circular(parents)) {
      losses.add('joint', this.#byChild.get(child)?.name ?? '', CIRCLE);
      this.#byChild.delete(child);
    }
  }

  /** How a link is attached that stands at `frame` in the world. */
  above(link: string, frame: Matrix4, isStatic: boolean): Pick<Body, 'parent' | 'pose' | 'joints'> {
    if (isStatic) return { parent: undefined, pose: frame, joints: [] };
    const joint = this.#byChild.get(link);
    if (joint === undefined) {
      const free = { ...PLAIN_JOINT, name: `${link}_free`, type: 'free' as const };
      return { parent: undefined, pose: frame, joints: [free] };
    }
    const base = joint.parent === undefined ? IDENTITY : (this.#links.get(joint.parent)?.frame ?? IDENTITY);
    const pose = multiply(inverse(base), frame);
    return {
      parent: joint.parent,
      pose,
      joints: this.#motions(joint, multiply(inverse(frame), joint.frame)),
    };
  }

  /** The link at an end of a joint, which can also name a frame on it. */
  #linkOf(joint: XmlElement, end: 'parent' | 'child', { frames, scope }: PlacedModel): string | undefined {
    const name = `${scope}${frames.linkOf(childNamed(joint, end)?.text ?? '') ?? ''}`;
    return this.#links.has(name) ? name : undefined;
  }

  #motions(joint: WrittenJoint, inLink: Matrix4): Joint[] {
    const { element, name } = joint;
    const anchor = transformPoint(inLink, [0, 0, 0]);
    const single = (type: 'hinge' | 'slide', axis: 'axis' | 'axis2'): Joint => ({
      ...PLAIN_JOINT,
      name: axis === 'axis' ? name : `${name}_2`,
      type,
      anchor,
      ...this.#axis(joint, axis, inLink),
    });
    switch (element.attributes.type) {
      case 'fixed':
        return [];
      case 'revolute':
      case 'continuous':
        return [single('hinge', 'axis')];
      case 'prismatic':
        return [single('slide', 'axis')];
      case 'universal':
      case 'revolute2':
        return [single('hinge', 'axis'), single('hinge', 'axis2')];
      case 'ball':
        return [{ ...PLAIN_JOINT, name, type: 'ball', anchor }];
      case 'screw':
        this.#losses.add('screw', name, 'it is kept as a hinge');
        return [single('hinge', 'axis')];
      default:
        this.#losses.add(
          'joint',
          name,
          `joints of type ${toMessageText(element.attributes.type ?? '')} are kept rigid`,
        );
        return [];
    }
  }

  #axis({ element, model, inModel }: WrittenJoint, which: 'axis' | 'axis2', inLink: Matrix4) {
    const axis = childNamed(element, which);
    const direction = unit(rotated(inLink, axisOf(axis, inModel, model)));
    const [dynamics, limit, mimic] = ['dynamics', 'limit', 'mimic'].map((part) => childNamed(axis, part));
    const number = (of: XmlElement | undefined, part: string, otherwise: number) =>
      numbersOf(childNamed(of, part)?.text, [otherwise])[0] ?? otherwise;
    const limits = element.attributes.type === 'continuous' ? undefined : limitsOf(axis);
    const given = (value: number) => (value > 0 ? value : undefined);
    const multiplier = number(mimic, 'multiplier', 1);
    return {
      axis: Math.hypot(...direction) === 0 ? ([0, 0, 1] as const) : direction,
      limits: limits !== undefined && limits[0] < limits[1] ? limits : undefined,
      damping: Math.max(0, number(dynamics, 'damping', 0)),
      friction: Math.max(0, number(dynamics, 'friction', 0)),
      stiffness: Math.max(0, number(dynamics, 'spring_stiffness', 0)),
      springReference: number(dynamics, 'spring_reference', 0),
      effort: given(number(limit, 'effort', -1)),
      velocity: given(number(limit, 'velocity', -1)),
      ...(mimic && {
        mimics: {
          joint: `${model.scope}${mimic.attributes.joint ?? ''}`,
          multiplier,
          offset: number(mimic, 'offset', 0) - multiplier * number(mimic, 'reference', 0),
        },
      }),
    };
  }
}
