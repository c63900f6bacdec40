/**
 * Identifies how pictures are drawn: another version may draw the same files differently. A test fails until it is
 * incremented with such a change, so that stored pictures of earlier versions are drawn again.
 */
export const RENDERER_VERSION = '13';

/** The version of MuJoCo that simulates; a test compares it with what MuJoCo says. */
export const MUJOCO_VERSION = '3.14.0';

/** Changes whenever the same model may be judged or drawn in another way. */
export const CERTIFIER_VERSION = `3-${MUJOCO_VERSION}`;

/** Changes whenever the same asset is converted in another way. */
export const CONVERTER_VERSION = '3';
