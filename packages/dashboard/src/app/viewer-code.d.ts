/** Made by `vite/viewer-code.ts`. */
declare module 'virtual:viewer-code' {
  const code: import('../viewer-protocol.ts').ViewerCode;
  export default code;
}
