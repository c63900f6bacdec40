import type { SimulationProblem } from '@bindery/formats';
import { parseXml, type XmlElement } from '@bindery/formats/files/xml';
import { toMessageText } from '@bindery/formats/reading/asset-files';
import { readable } from '@bindery/formats/reading/errors';
import { childNamed } from '@bindery/formats/reading/xml-elements';

/** What contains joints only to say what drives them. */
const DRIVES: ReadonlySet<string> = new Set(['transmission', 'ros2_control']);

/**
 * Finds joints of a robot in URDF or SDFormat that are driven, but without any effort, which readers take for joints that
 * nothing drives. Values that macros compute are not known here.
 */
export function idleDriveProblems(xml: Uint8Array): SimulationProblem[] {
  const joints: XmlElement[] = [];
  const driven = new Set<string | undefined>();
  const visit = (element: XmlElement, isDrive: boolean): void => {
    if (element.name === 'joint_name') driven.add(element.text);
    if (element.name === 'joint' && isDrive) driven.add(element.attributes.name);
    else if (element.name === 'joint') joints.push(element);
    for (const child of element.children) visit(child, isDrive || DRIVES.has(element.name));
  };
  visit(
    readable(() => parseXml(xml)),
    false,
  );
  return joints.flatMap((joint): SimulationProblem[] => {
    const { name = '' } = joint.attributes;
    const limit = childNamed(joint, 'limit') ?? childNamed(childNamed(joint, 'axis'), 'limit');
    const of = (key: string) => Number(limit?.attributes[key] ?? (childNamed(limit, key)?.text || 'none'));
    const [effort, velocity] = [of('effort'), of('velocity')];
    const isFollower = childNamed(joint, 'mimic') !== undefined;
    if (effort !== 0 || !(velocity > 0 || driven.has(name)) || isFollower) return [];
    const speed = velocity > 0 ? `, as fast as ${velocity} a second` : '';
    return [
      { code: 'actuator-too-weak', message: `${toMessageText(name)} is driven${speed}, but its effort is 0` },
    ];
  });
}
