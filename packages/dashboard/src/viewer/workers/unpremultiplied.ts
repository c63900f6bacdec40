import { Unrenderable } from '@bindery/render/models';

let context: WebGL2RenderingContext | undefined;

/**
 * Returns the pixels of an image, four bytes each, as stored in its file. A 2D canvas premultiplies colours by alpha,
 * which loses those of transparent pixels; models without transparency show them.
 *
 * @param bitmap created with `premultiplyAlpha: 'none'`
 */
export function unpremultipliedPixels(bitmap: ImageBitmap): Uint8Array {
  context ??= new OffscreenCanvas(1, 1).getContext('webgl2') ?? undefined;
  if (context === undefined) throw new Unrenderable('the browser has no WebGL');
  const gl = context;
  const { width, height } = bitmap;
  const [texture, framebuffer] = [gl.createTexture(), gl.createFramebuffer()];
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, bitmap);
  gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
  gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
  const pixels = new Uint8Array(width * height * 4);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  gl.deleteFramebuffer(framebuffer);
  gl.deleteTexture(texture);
  if (gl.getError() !== gl.NO_ERROR) throw new Unrenderable('the graphics take no picture of this size');
  return pixels;
}
