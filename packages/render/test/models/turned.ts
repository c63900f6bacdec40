/** Distances from the axis and heights along it, from the axis and back to it. */
export type Profile = readonly (readonly [radius: number, height: number])[];

const STEPS = 32;

/** What a profile is turned to around the axis Y, as OBJ. */
export function turned(profile: Profile): string {
  const lines: string[] = [];
  const rings = profile.map(([radius, height]) => {
    const places = radius === 0 ? 1 : STEPS;
    const first = lines.length + 1;
    for (let step = 0; step < places; step++) {
      const angle = (2 * Math.PI * step) / STEPS;
      lines.push(`v ${radius * Math.sin(angle)} ${height} ${radius * Math.cos(angle)}`);
    }
    return (step: number) => first + (places === 1 ? 0 : step % STEPS);
  });
  for (const [at, ring] of rings.slice(0, -1).entries()) {
    const next = rings[at + 1] ?? ring;
    for (let step = 0; step < STEPS; step++) {
      const corners = [ring(step), ring(step + 1), next(step + 1), next(step)];
      const face = corners.filter((corner, index) => corners.indexOf(corner) === index);
      if (face.length > 2) lines.push(`f ${face.join(' ')}`);
    }
  }
  // Vertices come before the faces that name them.
  return lines.sort((a, b) => Number(b.startsWith('v')) - Number(a.startsWith('v'))).join('\n');
}
