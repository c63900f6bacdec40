/*
 * Permanent addresses at which other people's clients read a library, below the origin of the service.
 */

interface Address {
  namespace: string;
  name: string;
  release?: string | undefined;
}

/** The path of a file, of a folder if it ends with a slash, or of the archive of an asset. */
export function rawPath({ namespace, name, release }: Address, path: string): string {
  const library = release === undefined ? name : `${name}@${release}`;
  return `/raw/${[namespace, library, ...path.split('/')].map(encodeSegment).join('/')}`;
}

/** The document with the viewer of assets for hosts of agents, which get it over the Model Context Protocol. */
export const MCP_APP = '/app/mcp-app.html';

/** The path of the page of a library or of one of its assets in the dashboard. */
export function pagePath({ namespace, name, release }: Address, assetId?: string): string {
  const asset = assetId === undefined ? '' : `/${encodeURIComponent(assetId)}`;
  const query = release === undefined ? '' : `?${new URLSearchParams({ release })}`;
  return `/app/${namespace}/${name}${asset}${query}`;
}

/** Like `encodeURIComponent`, but `@` stays readable. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%40', '@');
}

/** Stands between library and asset in the name of a model: in no name of either, and safe in URLs and file names. */
const MODEL_SEPARATOR = '~';

/** The name of an asset as a model of Gazebo Fuel, where a model is named by owner and name alone. */
export function fuelModelName(library: string, assetId: string): string {
  return library + MODEL_SEPARATOR + assetId;
}

/** Returns null if the name is not that of a model. */
export function parseFuelModelName(name: string): { library: string; assetId: string } | null {
  const at = name.indexOf(MODEL_SEPARATOR);
  return at < 0 ? null : { library: name.slice(0, at), assetId: name.slice(at + 1) };
}

/** The path of an asset as a model of Gazebo Fuel; it is of the current revision. */
export function fuelModelPath({ namespace, name }: Address, assetId: string): string {
  return `/1.0/${namespace}/models/${fuelModelName(name, assetId)}`;
}

/** What an asset can be converted to on its way; `mjz` is MJCF in an archive that MuJoCo opens. */
export const CONVERSION_FORMATS = ['mjcf', 'urdf', 'sdf', 'glb', 'usd', 'mjz'] as const;
export type ConversionFormat = (typeof CONVERSION_FORMATS)[number];

/** Where a model at an address that anyone can read is opened and simulated in a browser: at MuJoCo Live. */
export function mujocoLiveUrl(mjz: string): string {
  return `https://live.mujoco.org/?model=${encodeURIComponent(mjz)}`;
}
