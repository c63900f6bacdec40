/** The length of 1 in a file, in metres. */
export const LENGTH_UNITS = { m: 1, cm: 0.01, mm: 0.001, in: 0.0254 } as const;
export type LengthUnit = keyof typeof LENGTH_UNITS;

/** Sliding friction of dry surfaces that touch something like themselves or metal. */
const [SMOOTH, ORDINARY, ROUGH, GRIPPING] = [0.3, 0.5, 0.6, 1];

/**
 * Densities in kg/m³, and classes of friction; both are middles of what tables have for a material (The Engineering
 * ToolBox, "Densities of Solids" and "Friction Coefficients for Common Materials").
 */
export const MATERIALS = {
  aluminium: { density: 2_700, friction: ROUGH },
  cardboard: { density: 690, friction: ORDINARY },
  ceramic: { density: 2_400, friction: ORDINARY },
  foam: { density: 30, friction: ORDINARY },
  glass: { density: 2_500, friction: ORDINARY },
  plastic: { density: 1_050, friction: SMOOTH },
  rubber: { density: 1_100, friction: GRIPPING },
  steel: { density: 7_850, friction: ROUGH },
  stone: { density: 2_600, friction: ROUGH },
  wood: { density: 700, friction: ORDINARY },
} as const;
export type MaterialName = keyof typeof MATERIALS;

/** What a mesh does not say of itself, and a rigid body needs. */
export interface SimReady {
  /** What it is made of throughout: its density, unless that or the mass is given, and its friction. */
  readonly material?: MaterialName | undefined;
  /** In kilograms. */
  readonly mass?: number | undefined;
  /** In kilograms per cubic metre. */
  readonly density?: number | undefined;
  /** What a length of 1 in the file is. */
  readonly unit?: LengthUnit | undefined;
  /** How high it stands, in metres, whatever its unit is. */
  readonly height?: number | undefined;
  /** Of the walls of an open mesh, in metres. */
  readonly thickness?: number | undefined;
}

/** Why options cannot make a rigid body of any mesh; undefined if they can. */
export function simReadyProblem({
  material,
  mass,
  density,
  unit,
  height,
}: SimReady): { readonly option: keyof SimReady; readonly message: string } | undefined {
  if (mass !== undefined && density !== undefined)
    return { option: 'density', message: 'mass and density are two ways to say the same: give one' };
  if (unit !== undefined && height !== undefined)
    return { option: 'height', message: 'unit and height are two ways to say the same: give one' };
  if (mass ?? density ?? material) return undefined;
  return { option: 'material', message: 'a mesh has no mass: give a material, a density or its mass' };
}
